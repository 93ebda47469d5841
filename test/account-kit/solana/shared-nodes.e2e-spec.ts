import { afterEach, beforeEach, expect, it } from '@jest/globals';
import 'reflect-metadata';
import { SystemProgram } from '@solana/web3.js';
import { newAddress } from '../../support/solana-transactions.js';
import { type Account, SolanaWorld } from './solana-world.js';

let world: SolanaWorld;
let attacker: Account;
let victim: Account;

beforeEach(async () => {
  world = await SolanaWorld.start({ rpcTimeoutMs: 1_000 });
  [attacker, victim] = [await world.createAccount(), await world.createAccount()];
});

afterEach(() => world.stop());

const pay = ({ key }: Account) =>
  world.build(key, [
    SystemProgram.transfer({ fromPubkey: key, toPubkey: newAddress(), lamports: 5_000_000 }),
  ]);

/** How nodes fail for the simulation of a transaction. */
const FAILURES = {
  'do not answer': (poisoned: ReadonlySet<string>) => {
    for (const node of world.nodes)
      node.behave = (body) => [...poisoned].some((transaction) => body.includes(transaction));
  },
  'answer status 413': (poisoned: ReadonlySet<string>) => {
    for (const node of world.nodes)
      node.behave = (body, response) => {
        const isPoisoned = [...poisoned].some((transaction) => body.includes(transaction));
        if (isPoisoned) response.writeHead(413).end('too large');
        return isPoisoned;
      };
  },
  'answer an internal error': (poisoned: ReadonlySet<string>) => {
    for (const node of world.nodes)
      node.change = (response, { params }) =>
        poisoned.has(String(params[0]))
          ? { id: response.id, error: { code: -32_603, message: 'internal' } }
          : response;
  },
};

it.each(Object.keys(FAILURES) as (keyof typeof FAILURES)[])(
  'T266: SolanaNodesService: nodes that %s for the transactions of one client application are asked in their order for another one, whose transactions are accepted meanwhile',
  async (failure) => {
    const poisoned = Array.from({ length: 60 }, () => pay(attacker));
    FAILURES[failure](new Set(poisoned));
    const simulations = world.nodes.map(() => 0);
    for (const [index, node] of world.nodes.entries()) {
      const { behave } = node;
      node.behave = (body, response) => {
        if (body.includes('simulateTransaction') && !poisoned.some((one) => body.includes(one)))
          simulations[index] = (simulations[index] ?? 0) + 1;
        return behave(body, response);
      };
    }
    // The application is known to the nodes before.
    await world.submit(victim, pay(victim), { clientId: 'victim' });
    const attack = Promise.allSettled(
      poisoned.map((transaction) => world.submit(attacker, transaction, { clientId: 'attacker' })),
    );
    const together = await Promise.allSettled(
      Array.from({ length: 5 }, () => world.submit(victim, pay(victim), { clientId: 'victim' })),
    );
    expect(together.map(({ status }) => status)).toEqual(Array(5).fill('fulfilled'));
    const results = await attack;
    for (const result of results)
      expect(result).toMatchObject({ reason: { details: { code: 'chain_unavailable' } } });
    for (let later = 0; later < 3; later += 1)
      await world.submit(victim, pay(victim), { clientId: 'victim' });
    expect(simulations[0]).toBeGreaterThan(3);
    expect(simulations[1]).toBe(0);
  },
);

it('T266: SolanaNodesService: a node that hangs for the simulation of a transaction and for everything else is asked last', async () => {
  const [hanging] = world.nodes;
  if (!hanging) throw new Error('there is no node');
  await world.submit(victim, pay(victim), { clientId: 'victim' });
  let simulations = 0;
  hanging.behave = (body) => {
    if (body.includes('simulateTransaction')) simulations += 1;
    return true;
  };
  await world.submit(attacker, pay(attacker), { clientId: 'attacker' });
  await world.submit(victim, pay(victim), { clientId: 'victim' });
  const seen = simulations;
  for (let later = 0; later < 3; later += 1) await world.submit(victim, pay(victim), { clientId: 'victim' });
  expect(simulations).toBe(seen);
});
