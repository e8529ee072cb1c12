--- The report as one page that opens from disk: nothing in it is fetched from anywhere, and nothing
--- that a document holds is taken for markup.
local data <const> = require "frlua.report.html.data"
local digest <const> = require "frlua.native" "digest"
local figures <const> = require "frlua.report.html.figures"
local gnuplot <const> = require "frlua.gnuplot"
local head <const> = require "frlua.report.html.head"
local machine <const> = require "frlua.report.html.machine"
local markup <const> = require "frlua.report.html.markup"
local plots <const> = require "frlua.report.plots"
local style <const> = require "frlua.report.html.style"
local units <const> = require "frlua.units"

local html <const> = {}

-- How a browser knows the page's own style and program from any that came in with a name.
local function source_of(text)
  local bytes <const> = digest.sha256(text):gsub("%x%x", function(pair)
    return string.char(tonumber(pair, 16))
  end)
  return ("'sha256-%s'"):format(markup.base64(bytes))
end

local function opening(title)
  local policy <const> = ("default-src 'none'; style-src %s; script-src %s; base-uri 'none';"
    .. " form-action 'none'"):format(source_of(style), source_of(data.PROGRAM))
  return table.concat({
    "<!DOCTYPE html>", '<html lang="en">', "<head>", '<meta charset="utf-8">',
    ('<meta http-equiv="Content-Security-Policy" content="%s">'):format(policy),
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    markup.element("title", title), "<style>" .. style .. "</style>", "</head>", "<body>",
  }, "\n")
end

-- Draws all plots; tells what could not be drawn.
local function draw(lists)
  local all <const>, drawn_of <const> = plots.flat(lists), {}
  if not all[1] then return drawn_of end
  local drawn <const>, why <const> = gnuplot.draw(all, { "svg" })
  for index, plot in ipairs(all) do drawn_of[plot] = drawn[index] and drawn[index].svg end
  return drawn_of, why
end

local function details(summary, text)
  return "<details>" .. markup.element("summary", summary) .. markup.preformatted(text)
    .. "</details>"
end

-- One experiment, below its page's head.
local function article(document, sections, drawn_of, is_one_of_many)
  local level <const> = is_one_of_many and 3 or 2
  local lines <const> = { "<article>" }
  if is_one_of_many then
    lines[2] = markup.element("h2", document.experiment)
    lines[3] = document.doc and markup.element('p class="doc"', document.doc) or ""
    lines[4] = head.asked(document)
    lines[5] = head.verdicts(document, level)
  end
  lines[#lines + 1] = figures.render(sections, drawn_of, level)
  lines[#lines + 1] = figures.counts(document, level)
  lines[#lines + 1] = "<section>" .. markup.element("h" .. level, "Everything else")
  lines[#lines + 1] = details("The report as a terminal shows it",
    require "frlua.report.text".report(document))
  lines[#lines + 1] = "</section></article>"
  return table.concat(lines, "\n")
end

-- The name of the file that lies beside a page; nil where there is no such place.
local function beside(path)
  if not path or path == "-" or path:find "^/dev/" or path:find "^/proc/" then return nil end
  return path:match "[^/]*$" .. ".json"
end

local function link_to(name)
  local address <const> = name:gsub("[^%w._-]", function(c) return ("%%%02X"):format(c:byte()) end)
  return ('<p><a href="%s" download>%s</a></p>'):format("./" .. address, markup.escaped(name))
end

local function raw_data(title, json, parsed)
  if #json <= data.MOST_BYTES then
    return data.button("raw-data", plots.slug(title) .. ".json", "Download the raw data")
      .. "\n" .. data.embedded(json)
  end
  local name <const> = beside(parsed.html)
  local size <const> = units.bytes(#json)
  if not name then
    return markup.element("p", ("The raw data, %s, is too much for this page, and there is no"
      .. " place beside it: --json FILE writes it."):format(size))
  end
  return markup.element("p", ("The raw data, %s, is too much for this page: it lies beside it, in"
    .. " the file of this name, which belongs to it wherever it is moved."):format(size))
    .. "\n" .. link_to(name), true
end

local function data_section(title, document, json, parsed)
  local raw <const>, is_beside <const> = raw_data(title, json, parsed)
  local script <const>, note <const> = data.script(document)
  local lines <const> = {
    '<section aria-labelledby="data"><h2 id="data">Data and script</h2>',
    markup.element("p", "The raw data is all that this page was made from: frlua verify recomputes"
      .. " it, frlua report shows it in other forms."),
    raw,
    markup.element('p class="note"', note),
  }
  if script then
    lines[#lines + 1] = data.button("script-text", plots.slug(document.script:match "[^/]*$"),
      "Download the script")
    lines[#lines + 1] = data.embedded_script(script)
    lines[#lines + 1] = details("The script", script)
  end
  lines[#lines + 1] = "<noscript>" .. markup.element("p", "Without JavaScript the buttons do"
    .. " nothing: the raw data is in the source of this page.") .. "</noscript></section>"
  return table.concat(lines, "\n"), is_beside
end

local function top(documents)
  local first <const>, study <const> = documents[1], documents[1].study
  local is_one <const> = not study and #documents == 1
  local title <const> = study and study.name or is_one and first.experiment
    or first.experiment .. (" and %s"):format(units.plural(#documents - 1, "other"))
  local doc <const> = study and study.doc or is_one and first.doc
  local lines <const> = { "<header>", markup.element("h1", title),
    doc and markup.element('p class="doc"', doc) or "" }
  if is_one then lines[#lines + 1] = head.asked(first) end
  lines[#lines + 1] = "</header>"
  if study then
    lines[#lines + 1] = "<h2>What it found</h2>"
      .. markup.preformatted(require "frlua.report.study".report(documents))
  elseif is_one then
    lines[#lines + 1] = head.verdicts(first, 2)
  end
  return title, table.concat(lines, "\n"), is_one
end

---@param documents table[] of result.build, or read from a file
---@param parsed table of options.parsed
---@param json_text fun(): string the documents as the text of a result file
---@return string page
---@return boolean? is_beside whether that text is to be written beside the page, as FILE.json
function html.render(documents, parsed, json_text)
  local lists <const> = plots.of(documents)
  local drawn_of <const>, why <const> = draw(lists)
  local title <const>, above <const>, is_one <const> = top(documents)
  local lines <const> = { opening(title), "<main>", above, machine.render(documents[1]) }
  if why then lines[#lines + 1] = markup.element('p class="warning"', "No plots: " .. why) end
  for index, document in ipairs(documents) do
    lines[#lines + 1] = article(document, lists[index], drawn_of, not is_one)
  end
  local section <const>, is_beside <const> = data_section(title, documents[1], json_text(), parsed)
  lines[#lines + 1] = section
  lines[#lines + 1] = "</main>\n<script>" .. data.PROGRAM .. "</script>\n</body>\n</html>\n"
  return table.concat(lines, "\n"), is_beside
end

return html
