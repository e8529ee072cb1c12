--- What a page carries to be taken out again: the result as JSON, byte for byte, and the script.
local files <const> = require "frlua.files"
local markup <const> = require "frlua.report.html.markup"

local data <const> = {
  -- A page of more is slow to open: the result then lies beside it.
  MOST_BYTES = 4 * 1024 * 1024,
}

---The result as text in a script element, which nothing but "<" could end. An escape stands for it
---that frlua itself never writes, as it escapes no more than JSON asks for; PROGRAM puts it back.
---@param json string of frlua
---@return string
function data.embedded(json)
  return '<script type="application/json" id="raw-data">'
    .. json:gsub("<", "\\u003c") .. "</script>"
end

-- Whether a file was written after a time such as 2026-01-31T12:00:00Z.
local function is_newer(path, started_at)
  local stat <const> = require "posix.sys.stat".stat(path)
  local written <const> = stat and os.date("!%Y-%m-%dT%H:%M:%SZ", stat.st_mtime)
  return written and written > started_at
end

---The text of a script, from where the run had it.
---@param document table
---@return string? text
---@return string note why there is none, or how far it can be trusted
function data.script(document)
  local path <const> = document.script
  if path == "-" then return nil, "The script came from standard input and was not kept." end
  local text <const>, message <const> = files.read(path)
  if not text then return nil, "The script is not here: " .. message .. "." end
  if is_newer(path, document.started_at) then
    return text, "The file was changed after this run: what ran may have been another text."
  end
  return text, "As the file was when this page was written; it was not changed since the run."
end

---@param text string
---@return string
function data.embedded_script(text)
  return '<script type="text/plain" id="script-text" data-encoding="base64">'
    .. markup.base64(text) .. "</script>"
end

---A button that takes an element's text out into a file.
---@param id string of the element
---@param name string of the file
---@param label string
---@return string
function data.button(id, name, label)
  return ('<button type="button" data-from="%s" data-name="%s">%s</button>'):format(id,
    markup.escaped(name), markup.escaped(label))
end

-- Runs in the browser. Two backslashes are a backslash: what follows them is no escape.
data.PROGRAM = [[
"use strict";
function bytesOf(element) {
  if (element.dataset.encoding === "base64")
    return Uint8Array.from(atob(element.textContent), c => c.charCodeAt(0));
  return new TextEncoder().encode(element.textContent.replace(/\\(u003c|[^])/g,
    (escape, what) => what === "u003c" ? "<" : escape));
}
for (const button of document.querySelectorAll("button[data-from]")) {
  button.addEventListener("click", () => {
    const bytes = bytesOf(document.getElementById(button.dataset.from));
    const url = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
    const link = document.createElement("a");
    link.href = url;
    link.download = button.dataset.name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 60000);
  });
}
]]

return data
