import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parsePlanForm } from './plan-form.js';

const count = fc.integer({ min: 1, max: 999_999_999_999_999 });

describe('the form of a plan', () => {
  it.each(['free', 'paid'])('takes the %s plan, whatever stands in the other fields', (plan) => {
    const terms = { plan, perSecond: null, perMonth: null };
    expect(parsePlanForm({ plan })).toEqual({ ok: true, terms });
    expect(parsePlanForm({ plan, perSecond: '7', perMonth: 'many' })).toEqual({ ok: true, terms });
  });

  it('takes an enterprise plan with the limits that were agreed upon', () => {
    fc.assert(
      fc.property(count, count, (perSecond, perMonth) => {
        const fields = {
          plan: 'enterprise',
          perSecond: String(perSecond),
          perMonth: ` ${String(perMonth)} `,
        };
        expect(parsePlanForm(fields)).toEqual({
          ok: true,
          terms: { plan: 'enterprise', perSecond, perMonth },
        });
      }),
    );
  });

  it.each(['0', '-1', '1.5', '1e3', '0x10', '01', '١٢', '1 000', '9'.repeat(16)])(
    'names the field that holds no number: %s',
    (text) => {
      const read = parsePlanForm({ plan: 'enterprise', perSecond: text, perMonth: '1' });
      expect(read).toEqual({ ok: false, problems: { perSecond: expect.stringContaining('whole number') } });
    },
  );

  it('names every field that is missing', () => {
    const missing = 'An enterprise plan needs it.';
    expect(parsePlanForm({ plan: 'enterprise' })).toEqual({
      ok: false,
      problems: { perSecond: missing, perMonth: missing },
    });
    expect(parsePlanForm({})).toEqual({ ok: false, problems: { plan: 'Choose a plan.' } });
    expect(parsePlanForm({ plan: 'gold' })).toMatchObject({ ok: false });
  });
});
