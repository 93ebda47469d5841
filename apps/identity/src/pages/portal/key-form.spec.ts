import { describe, expect, it } from '@jest/globals';
import { DAY_MS } from '@app/common';
import { parseKeyForm, toKeyFormView } from './key-form.js';

describe('parseKeyForm', () => {
  it('parseKeyForm: gives a key all scopes and no end unless the form says otherwise', () => {
    const all = { name: 'Server', scopes: null, expiresAt: null };
    expect(parseKeyForm({ keyName: ' Server ' })).toEqual({ ok: true, terms: all });
    const withChecks = { keyName: 'Server', keyAccess: 'all', 'key.token-gating': 'on' };
    expect(parseKeyForm(withChecks)).toEqual({ ok: true, terms: all });
  });

  it('parseKeyForm: reads the chosen scopes and the end', () => {
    const parsed = parseKeyForm({
      keyName: 'Bot',
      keyEnd: '30',
      keyAccess: 'some',
      'key.token-gating': 'on',
      'key.operator': 'on',
    });
    expect(parsed).toMatchObject({ ok: true, terms: { name: 'Bot', scopes: ['token-gating'] } });
    const end = parsed.ok ? (parsed.terms.expiresAt?.getTime() ?? 0) : 0;
    expect(Math.round((end - Date.now()) / DAY_MS)).toBe(30);
  });

  it.each([
    [{}, ['keyName']],
    [{ keyName: 'a\u0000' }, ['keyName']],
    [{ keyName: 'x'.repeat(101) }, ['keyName']],
    [{ keyName: 'Bot', keyAccess: 'some' }, ['keyAccess']],
    [{ keyName: 'Bot', keyAccess: 'some', 'key.operator': 'on' }, ['keyAccess']],
    [{ keyName: 'Bot', keyEnd: '31' }, ['keyEnd']],
  ])('parseKeyForm: names the fields that are wrong in %j', (fields, names) => {
    const parsed = parseKeyForm(fields);
    expect(parsed.ok ? [] : Object.keys(parsed.problems)).toEqual(names);
  });

  it('toKeyFormView: offers the scopes of the application, and keeps what was typed', () => {
    const fields = { keyName: '', keyAccess: 'some', 'key.token-gating': 'on', keyEnd: '90' };
    const view = toKeyFormView(['openid', 'token-gating'], fields, { keyName: 'This must not be empty.' });
    expect(view).toMatchObject({ isNarrow: true, end: '90', problems: { keyName: expect.any(String) } });
    expect(view.scopes.map(({ scope, checked }) => [scope, checked])).toEqual([
      ['openid', false],
      ['token-gating', true],
    ]);
  });
});
