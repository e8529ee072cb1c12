local json <const> = require "frlua.json"
local schema <const> = require "frlua.schema"

local function findings(value_text, rule_text)
  return schema.findings(assert(json.decode(value_text)),
    assert(json.decode('{"$defs":{"it":' .. rule_text .. ',"text":{"type":"string"}}}')), "it")
end

describe("the schema of a value", function()
  -- For each rule a value that fits it, and one that does not, with what is said of that.
  for _, case in ipairs {
    { '{"type":"integer"}', "5", "5.0", "the document is of type number, not integer" },
    { '{"type":"number"}', "5", '"5"', "is of type string, not number" },
    { '{"type":["string","null"]}', "null", "true", "is of type boolean, not string or null" },
    { '{"type":"array"}', "[]", "{}", "is of type object, not array" },
    { '{"type":"object"}', "{}", "[]", "is of type array, not object" },
    { '{"const":"a"}', '"a"', '"b"', "is not a" },
    { '{"enum":["a","b"]}', '"b"', '"c"', "is none of a, b" },
    { '{"minimum":1}', "1", "0", "is below 1" },
    { '{"maximum":1}', "1", "1.5", "is above 1" },
    { '{"exclusiveMinimum":0}', "0.1", "0", "is not above 0" },
    { '{"minLength":1}', '"a"', '""', "is too short" },
    { '{"pattern":"^sha256:[0-9a-f]{4}$"}', '"sha256:0af9"', '"sha256:0af"', "does not match" },
    { '{"pattern":"^\\\\d{4}-\\\\d\\\\dT$"}', '"2020-12T"', '"2020-1T"', "does not match" },
    { '{"minItems":2}', "[1,2]", "[1]", "has fewer than 2 items" },
    { '{"maxItems":1}', "[1]", "[1,2]", "has more than 1 items" },
    { '{"items":{"type":"integer"}}', "[1,2]", '[1,"2"]', "[2] is of type string" },
    { '{"required":["a"]}', '{"a":null}', '{"b":1}', "lacks 'a'" },
    { '{"properties":{"a":{"type":"integer"}}}', '{"b":"c"}', '{"a":"c"}', "a is of type string" },
    { '{"properties":{"a":{}},"additionalProperties":false}', '{"a":1}', '{"b":1}',
      "b is no field" },
    { '{"patternProperties":{"_ns$":{"minimum":1}},"additionalProperties":{"type":"string"}}',
      '{"a_ns":1,"b":"c"}', '{"a_ns":1,"b":2}', "b is of type integer" },
    { '{"patternProperties":{"_ns$":{"minimum":1}}}', '{"a":0}', '{"a_ns":0}', "a_ns is below 1" },
    { '{"anyOf":[{"type":"null"},{"minimum":3}]}', "3", "2", "is none of the kinds" },
    { '{"oneOf":[{"required":["a"]},{"required":["b"]}]}', '{"a":1}', '{"a":1,"b":1}',
      "is 2 of the kinds of which it must be one" },
    { '{"$ref":"#/$defs/text"}', '"a"', "1", "is of type integer, not string" },
    { '{"if":{"required":["a"]},"then":{"required":["b"]}}', '{"c":1}', '{"a":1}', "lacks 'b'" },
  } do
    it("is told by " .. case[1], function()
      assert.same({}, findings(case[2], case[1]))
      assert.matches(case[4], table.concat(findings(case[3], case[1]), "\n"), 1, true)
    end)
  end

  it("names the place of a finding", function()
    assert.same({ "a[2].b is of type integer, not string" }, findings('{"a":[{},{"b":1}]}',
      '{"properties":{"a":{"items":{"properties":{"b":{"$ref":"#/$defs/text"}}}}}}'))
  end)
end)
