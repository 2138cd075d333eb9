from drawbar.web.reference.docstring_html import docstring_html


def test_paragraphs_code_lists_and_port_boxes():
    text = "A law: ``y = <u>``.\n\nPorts::\n\n    u -->|\n\n      |--> y\n\n- one\n  more\n- two\n"
    assert docstring_html(text) == (
        "<p>A law: <code>y = &lt;u&gt;</code>.</p>\n<p>Ports:</p>\n"
        '<pre tabindex="0">u --&gt;|\n\n  |--&gt; y</pre>\n<ul><li>one more</li><li>two</li></ul>'
    )
