import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { renderTemplate } from './page-renderer.js';

const templates = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.eta'));

/** Raw output is allowed for other templates only. */
const RAW = /^(?:it\.body|include\('\.\/[a-z-]+', [^()]+\))$/;

describe('the templates', () => {
  it.each(templates)('escape all output except other templates: %s', (name) => {
    const text = readFileSync(join(import.meta.dirname, name), 'utf8');
    for (const [, raw = ''] of text.matchAll(/<%[-_]?\s*~(.*?)%>/gs)) expect(raw.trim()).toMatch(RAW);
    expect(text).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son[a-z]+=/i);
  });

  it('templates: have a CSRF token in every POST form', () => {
    for (const name of templates) {
      const text = readFileSync(join(import.meta.dirname, name), 'utf8');
      const forms = [...text.matchAll(/<form.*?<\/form>/gs)].map(([form]) => form);
      // A form of a script has no method, and is sent nowhere.
      for (const form of forms.filter((one) => /^<form[^>]*\bmethod="post"/.test(one)))
        expect(form).toContain('name="csrf" value="<%= it.frame.csrf %>"');
    }
  });

  it('templates: escape user input', () => {
    const hostile = `<script>"'&`;
    const html = renderTemplate('problem', {
      message: hostile,
      requestId: hostile,
      advice: hostile,
      next: [{ href: hostile, text: hostile }],
      keepsForm: false,
      frame: { title: hostile, assets: '/pages/x', scripts: [] },
    });
    expect(html).not.toContain(hostile);
    expect(html).toContain('&lt;script&gt;&quot;&#39;&amp;');
  });
});
