import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  ExpressionService,
  RuleExpression,
} from '../../apps/token-gating/src/metadata/expressions/expression.service.js';
import { MetadataDocument } from '../../apps/token-gating/src/metadata/metadata-document.js';
import { root } from '../../scripts/build/project.mjs';

/** The worker as the bundle of the app finds it. */
const worker =
  'dist/bundles/token-gating/assets/apps/token-gating/src/metadata/expressions/expression.worker.js';
const service = new ExpressionService(pathToFileURL(join(root, worker)));
afterAll(() => service.onApplicationShutdown());

/** What a rule has in production. */
const RULE_TIMEOUT_MS = 1_000;

const toDocument = (value: unknown): MetadataDocument => {
  const document = MetadataDocument.parse(JSON.stringify(value));
  if (!document.ok) throw new Error(document.message);
  return document;
};

interface EvaluationOptions {
  tenantId?: string;
  variables?: Record<string, unknown>;
  /** No worker stands still for as long as the default. */
  timeMs?: number;
}

async function evaluate(query: string, value: unknown, options: EvaluationOptions = {}) {
  const { tenantId = 'tenant', variables = {}, timeMs = 10_000 } = options;
  const expression = new RuleExpression(tenantId, query, variables);
  expression.remainingMs = timeMs;
  const result = await service.matches(expression, toDocument(value));
  return typeof result === 'boolean' ? result : result.code;
}

const red = { name: 'One', attributes: [{ trait_type: 'Hat', value: 'red' }] };

describe('T90: expressions over metadata', () => {
  it.each([
    ["attributes[trait_type='Hat'].value = 'red'", true],
    ["attributes[trait_type='Hat'].value = 'blue'", false],
    ['attributes[trait_type=$trait].value = $value', true],
    ['name', false],
    ["'true'", false],
    ['1', false],
    ['[true]', false],
    ['[true, true]', false],
    ['missing', false],
    ['$count(attributes) = 1 and $exists(name)', true],
    ['$number(name)', 'query_invalid'],
    ['name.$undefined()', 'query_invalid'],
  ])('expressions over metadata: %s is %s', async (query, expected) => {
    const variables = { trait: 'Hat', value: 'red' };
    expect(await evaluate(query, red, { variables })).toBe(expected);
  });

  it.each([
    ['a recursion without end', '($f := function($x) { 1 + $f($x) }; $f(1))'],
    ['a loop by tail calls', '($f := function($x) { $f($x + 1) }; $f(1))'],
    ['many steps', '$count([1..90000][$ % 2 = 0]) > 0'],
    ['a long range', '$count([1..9999999]) > 0'],
    ['a list that grows', '$reduce([1..40], function($l, $i) { $append($l, $l) }, [1, 1]) = 1'],
    ['a text that grows', "$reduce([1..60], function($t, $i) { $t & $t }, 'xxxxxxxx') = 1"],
    ['exhausted memory', "$length($join($map([1..3000], function($i) { $pad('', 100000 + $i, 'x') }))) = 1"],
    ['a slow pattern', `$match('${'a'.repeat(40)}!', /^(a+)+$/) = 1`],
  ])('expressions over metadata: ends %s', async (name, query) => {
    const limited = await evaluate(query, {}, { tenantId: name, timeMs: RULE_TIMEOUT_MS });
    expect(limited).toMatch(/^query_limit_exceeded$/);
    expect(await evaluate('true', {}, { tenantId: name })).toBe(true);
  });

  it('expressions over metadata: gives all documents of a rule a second together', async () => {
    const expression = new RuleExpression('long', `$match('${'a'.repeat(40)}!', /^(a+)+$/) = 1`, {});
    const results = [];
    for (let id = 0; id < 20; id += 1) results.push(await service.matches(expression, toDocument({ id })));
    expect(results).toEqual(Array(20).fill(expect.objectContaining({ code: 'query_limit_exceeded' })));
    expect(expression.remainingMs).toBeLessThanOrEqual(0);
  });

  it('expressions over metadata: compares as a plain model does', async () => {
    const trait = fc.record({
      trait_type: fc.constantFrom('Hat', 'Eyes'),
      value: fc.integer({ min: -3, max: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(trait), fc.integer({ min: -3, max: 3 }), async (attributes, least) => {
        const query = "$exists(attributes[trait_type='Hat' and value >= $least])";
        const expected = attributes.some(({ trait_type, value }) => trait_type === 'Hat' && value >= least);
        expect(await evaluate(query, { attributes }, { variables: { least } })).toBe(expected);
      }),
      { numRuns: 50 },
    );
  });

  it('expressions over metadata: is not delayed by expressions of another tenant that loop', async () => {
    const measure = async () => {
      const latencies: number[] = [];
      for (let run = 0; run < 9; run += 1) {
        const startedAt = performance.now();
        expect(await evaluate('name = "One"', red, { tenantId: 'victim' })).toBe(true);
        latencies.push(performance.now() - startedAt);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      return latencies.sort((a, b) => a - b)[4] ?? 0;
    };
    const control = await measure();
    // The attacks go on until the service is closed.
    const attacks = Array.from({ length: 20 }, () =>
      evaluate(
        `$match('${'a'.repeat(40)}!', /^(a+)+$/) = 1`,
        {},
        { tenantId: 'attacker', timeMs: RULE_TIMEOUT_MS },
      ),
    );
    expect(await measure()).toBeLessThan(3 * control + 50);
    await service.onApplicationShutdown();
    expect(new Set(await Promise.all(attacks))).toEqual(
      new Set(['query_limit_exceeded', 'query_unavailable']),
    );
  });
});
