import { expect, it } from '@jest/globals';
import { LogBudget } from './log-budget.js';

const takeMany = (
  budget: LogBudget,
  count: number,
  address: string,
  owner: string | undefined,
  block: bigint,
) => Array.from({ length: count }, () => budget.take({ address, owner }, block)).filter(Boolean).length;

it('LogBudget: grants a contract a thousand logs in each minute of the chain, whenever they are read', () => {
  const budget = new LogBudget(12_000);
  expect(takeMany(budget, 1_000, '0xa', undefined, 100n)).toBe(1_000);
  expect(takeMany(budget, 5, '0xa', undefined, 104n)).toBe(0);
  expect(takeMany(budget, 1_005, '0xa', undefined, 105n)).toBe(1_000);
  expect(takeMany(budget, 1_000, '0xb', undefined, 100n)).toBe(1_000);
});

it('LogBudget: grants a tenant ten thousand logs of contracts that are its own, and others theirs', () => {
  const budget = new LogBudget(12_000);
  for (let contract = 0; contract < 10; contract += 1)
    expect(takeMany(budget, 1_000, `0x${contract}`, 'noisy', 1n)).toBe(1_000);
  expect(takeMany(budget, 1, '0xff', 'noisy', 1n)).toBe(0);
  expect(takeMany(budget, 1_000, '0xee', 'quiet', 1n)).toBe(1_000);
  expect(takeMany(budget, 1_000, '0xdd', undefined, 1n)).toBe(1_000);
});

it('LogBudget: forgets minutes whose logs are not read again', () => {
  const budget = new LogBudget(undefined);
  takeMany(budget, 1_000, '0xa', undefined, 29n);
  budget.forgetBefore(29n);
  expect(takeMany(budget, 1, '0xa', undefined, 29n)).toBe(0);
  budget.forgetBefore(30n);
  expect(takeMany(budget, 1, '0xa', undefined, 29n)).toBe(1);
});
