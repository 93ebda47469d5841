import { describe, expect, it } from '@jest/globals';
import { renderMarkdown } from './render-markdown.js';

const render = (markdown: string) =>
  renderMarkdown(markdown, 'guides/checks.md', (path) =>
    path === 'contract.md' ? '/docs/contract' : undefined,
  );

describe('renderMarkdown', () => {
  it('renderMarkdown: leads to documents that are served, and says of other links that the repository has them', () => {
    const { html } = render(
      '[a](../contract.md#6-the-callback) [b](../../CONTRIBUTING.md) [c](#here) [d](https://example.com/?a=1&b=2)',
    );
    expect(html).toBe(
      '<p><a href="/docs/contract#6-the-callback">a</a> b (in the repository) <a href="#here">c</a> <a href="https://example.com/?a=1&amp;b=2">d</a></p>\n',
    );
  });

  it('renderMarkdown: never lets HTML or an address of a script through', () => {
    const { html } = render(
      '<script>alert(1)</script>\n\nA <b onclick="x">b</b> [x](javascript:alert(1)) `<i>`\n\n```js\n</code><script>\n```',
    );
    expect(html).not.toMatch(/<script|<b |javascript:|<i>/);
    expect(html).toContain('&lt;script&gt;');
  });

  it('renderMarkdown: gives headings the anchors of GitHub, and the text of each part without marks', () => {
    const { html, sections } = render(
      '# A `title`\n\nFirst *part*.\n\n## What arrives, when?\n\n- [one](checks.md)\n\n| a |\n| --- |\n| b |\n',
    );
    expect(html).toContain('<h2 id="what-arrives-when">What arrives, when?</h2>');
    expect(sections).toEqual([
      { anchor: 'a-title', heading: 'A title', depth: 1, text: 'First part.' },
      { anchor: 'what-arrives-when', heading: 'What arrives, when?', depth: 2, text: '- one a b' },
    ]);
  });
});
