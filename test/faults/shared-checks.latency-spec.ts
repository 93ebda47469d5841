import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Principal } from '@app/auth';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { HostileNode } from '../support/hostile-node.js';
import { type Receiver, receiver } from '../support/receiver.js';
import type { RunningApp } from '../support/running-app.js';
import { selfSigned } from '../support/self-signed.js';
import { uniformNode } from '../support/uniform-node.js';
import { GatingApp } from '../token-gating/gating-app.js';
import { expectUndisturbed, median } from './latency.js';

const ATTACK_MS = 2_500;
const LARGE_CHECKS = 30;
const READS_PER_LARGE_CHECK = 20_000;
const LISTS_PER_CHECK = 20;
/** What Node.js takes for its heap in a container of 256 MiB. */
const HEAP_MIB = 128;

const holder = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const contractAddress = '0x00000000000000000000000000000000000000c1';

const ofTenant = (ownerId: string): Principal => ({
  kind: 'caller',
  client: { id: `client_of_${ownerId}`, ownerId, plan: 'free' },
  scopes: ['token-gating'],
});

interface Answer {
  status: number;
  ms: number;
}

/** Milliseconds: of the app under attack and of the control. */
interface Medians {
  besides: number;
  alone: number;
}

const toMedianMs = (answers: Answer[]): number => median(answers.map(({ ms }) => ms));

/** A gating app of tenants that share its memory and connections. */
describe('checks of one tenant', () => {
  const folder = mkdtempSync(join(tmpdir(), 'shared-checks-'));
  let node: HostileNode;
  /** Never answers below `/hanging`. */
  let lists: Receiver;
  let gating: GatingApp;
  /** An app without attackers, for comparison. */
  let control: RunningApp;

  beforeAll(async () => {
    const identity = selfSigned('127.0.0.1');
    const ca = join(folder, 'ca.pem');
    writeFileSync(ca, identity.cert);
    lists = await receiver((request, response) => {
      if (!request.url?.startsWith('/hanging')) response.end('1');
    }, identity);
    node = await uniformNode(1n, 50);
    gating = await GatingApp.start({
      RPC_URL_31337: node.url,
      NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}`,
      NODE_EXTRA_CA_CERTS: ca,
      CALLBACK_ALLOW_CIDRS: '127.0.0.0/8',
    });
    control = await gating.another();
  });

  afterAll(async () => {
    await gating.stop();
    await node.stop();
    await lists.stop();
    rmSync(folder, { recursive: true });
  });

  const check = async (tenant: string, tokenIds: string[], app = gating.app): Promise<Answer> => {
    const startMs = performance.now();
    const rules = tokenIds.map((tokenId) => ({ type: 'ERC1155', chainId: 31_337, contractAddress, tokenId }));
    const { status } = await gating.check({ account: holder, rules }, {}, ofTenant(tenant), app);
    return { status, ms: performance.now() - startMs };
  };

  let nextId = 0;
  /** Ids that no check has named before. */
  const freshIds = (count: number): string => {
    nextId += count;
    return `${nextId - count}-${nextId - 1}`;
  };
  const largeCheck = (tenant: string): Promise<Answer> =>
    check(tenant, [freshIds(READS_PER_LARGE_CHECK / 2), freshIds(READS_PER_LARGE_CHECK / 2)]);
  const freshUrl = (path: string): string => `https://127.0.0.1:${lists.port}/${path}/${(nextId += 1)}`;

  /** Checks of another tenant while the attack runs, each beside one of the control. Fails if one of them has an error. */
  const measureVictim = async (
    createTokenId: () => string,
    attack: () => Promise<unknown>,
  ): Promise<Medians> => {
    const measured = { besides: [] as Answer[], alone: [] as Answer[] };
    const measure = async (order: (keyof typeof measured)[]): Promise<void> => {
      for (const which of order) {
        const app = which === 'alone' ? control : gating.app;
        measured[which].push(await check('victim', [createTokenId()], app));
      }
    };
    for (let warmUp = 0; warmUp < 5; warmUp += 1) await measure(['besides', 'alone']);
    measured.besides.length = measured.alone.length = 0;
    const attacking = attack();
    const endsAtMs = performance.now() + ATTACK_MS;
    while (performance.now() < endsAtMs) {
      await measure(['besides', 'alone']);
      await measure(['alone', 'besides']);
      await sleep(20);
    }
    await attacking;
    for (const which of ['besides', 'alone'] as const)
      expect(measured[which].filter(({ status }) => status !== 200)).toEqual([]);
    return { besides: toMedianMs(measured.besides), alone: toMedianMs(measured.alone) };
  };

  // Latencies are not compared: a check of that size takes half a second of the processor, which one process has once.
  it('T45, T52: checks of one tenant with 600,000 reads: are bounded by the memory of the app, and other tenants are answered', async () => {
    await measureVictim(
      () => freshIds(1),
      async () => {
        const tenants = ['attacker', 'accomplice'];
        const answers = await Promise.all(
          Array.from({ length: LARGE_CHECKS }, (_, at) => largeCheck(tenants[at % 2] ?? '')),
        );
        expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 503]));
      },
    );
    expect(await largeCheck('other')).toMatchObject({ status: 200 });
  });

  it('T53: checks of one tenant with token lists that hang: leave the connections to the same server to other tenants', async () => {
    const { besides, alone } = await measureVictim(
      () => freshUrl('list'),
      async () => {
        const attacks = Array.from({ length: 8 }, async (_, at) => {
          await sleep(at * 300);
          return check(
            'attacker',
            Array.from({ length: LISTS_PER_CHECK }, () => freshUrl('hanging')),
          );
        });
        for (const { status } of await Promise.all(attacks)) expect(status).toBe(503);
      },
    );
    expectUndisturbed(besides, alone, 500);
  });
});
