"""What a page of GitHub's Markdown has on it: tables, headings and blocks of code, with their text,
by cmark-gfm and Python's html.parser."""
import html.parser
import subprocess


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.tables, self.headings, self.blocks, self.others = [], [], [], set()
        self.text = self.link = None

    def handle_starttag(self, tag, attributes):
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th", "h2", "h3", "pre"):
            self.text = ""
        elif tag == "a":
            self.link = dict(attributes)["href"]
        elif tag not in ("thead", "tbody", "p", "code", "strong"):
            self.others.add(tag)

    def handle_data(self, data):
        if self.text is not None:
            self.text += data
        if self.link not in (None, data):
            self.others.add("a")
        self.link = None

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.tables[-1][-1].append(self.text)
        elif tag in ("h2", "h3"):
            self.headings.append(self.text)
        elif tag == "pre":
            self.blocks.append(self.text)


def page_of(path):
    read = subprocess.run(["cmark-gfm", "--extension", "table", "--extension", "autolink",
                           "--extension", "strikethrough", "--unsafe", path],
                          capture_output=True, encoding="utf-8", check=True)
    page = Page()
    page.feed(read.stdout)
    return page
