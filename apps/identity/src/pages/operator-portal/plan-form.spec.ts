import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parsePlanForm } from './plan-form.js';

const count = fc.integer({ min: 1, max: 999_999_999_999_999 });

describe('parsePlanForm', () => {
  it.each(['free', 'paid'])('parsePlanForm: accepts the %s plan and ignores the other fields', (plan) => {
    const terms = { plan, perSecond: null, perMonth: null };
    expect(parsePlanForm({ plan })).toEqual({ ok: true, terms });
    expect(parsePlanForm({ plan, perSecond: '7', perMonth: 'many' })).toEqual({ ok: true, terms });
  });

  it('parsePlanForm: accepts an enterprise plan with its limits', () => {
    fc.assert(
      fc.property(count, count, (perSecond, perMonth) => {
        const fields = {
          plan: 'enterprise',
          perSecond: String(perSecond),
          perMonth: ` ${String(perMonth)} `,
        };
        expect(parsePlanForm(fields)).toEqual({
          ok: true,
          terms: { plan: 'enterprise', perSecond, perMonth, maxClientApplications: null, maxApiKeys: null },
        });
      }),
    );
  });

  it.each(['0', '-1', '1.5', '1e3', '0x10', '01', '١٢', '1 000', '9'.repeat(16)])(
    'names a field without a valid number: %s',
    (text) => {
      const parsed = parsePlanForm({ plan: 'enterprise', perSecond: text, perMonth: '1' });
      expect(parsed).toEqual({ ok: false, problems: { perSecond: expect.stringContaining('whole number') } });
    },
  );

  it('parsePlanForm: reads limits of ownership, of which an empty one is no limit', () => {
    const fields = { plan: 'enterprise', perSecond: '1', perMonth: '1' };
    expect(parsePlanForm({ ...fields, maxClientApplications: ' 7 ', maxApiKeys: '  ' })).toMatchObject({
      ok: true,
      terms: { maxClientApplications: 7, maxApiKeys: null },
    });
    expect(parsePlanForm({ ...fields, maxClientApplications: '0', maxApiKeys: '2147483648' })).toEqual({
      ok: false,
      problems: {
        maxClientApplications: expect.stringContaining('whole number'),
        maxApiKeys: expect.stringContaining('at most 2147483647'),
      },
    });
  });

  it('parsePlanForm: names every missing field', () => {
    const missing = 'This is required for an enterprise plan.';
    expect(parsePlanForm({ plan: 'enterprise' })).toEqual({
      ok: false,
      problems: { perSecond: missing, perMonth: missing },
    });
    expect(parsePlanForm({})).toEqual({ ok: false, problems: { plan: 'Select a plan.' } });
    expect(parsePlanForm({ plan: 'gold' })).toMatchObject({ ok: false });
  });
});
