import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningApp } from '../support/running-app.js';
import { faultSeed, seededRandom } from '../support/seeded-random.js';
import { asUser, RolesWorld } from '../token-gating/roles-world.js';
import { eoa } from '../token-gating/wallet-book.js';

jest.setTimeout(240_000);

const WHOLE = 10n ** 18n;
const MEMBERS = 4;
const ROUNDS = 40;

let world: RolesWorld;
let instances: RunningApp[];

beforeAll(async () => {
  world = await RolesWorld.start();
  instances = [world.gating.app, await world.gating.another(), await world.gating.another()];
}, 120_000);

afterAll(() => world.stop());

/** Every change must be announced once: a role is granted and revoked by turns. */
const assertByTurns = (changes: readonly string[], isHeld: boolean): void => {
  expect(changes).toEqual(changes.map((_, n) => (n % 2 === 0 ? 'role.granted' : 'role.revoked')));
  expect(changes.length % 2).toBe(isHeld ? 1 : 0);
};

it('T301: roles of a member: are those of the last holdings, and each change is published once, while holdings change, reads race and instances are killed', async () => {
  const seed = faultSeed();
  process.stdout.write(`T301: FAULT_SEED=${String(seed)}\n`);
  const random = seededRandom(seed);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const members = Array.from({ length: MEMBERS }, (_, n) => `user_${String(n)}`);
  const [rich, poor] = [eoa(await world.wallet(WHOLE)), eoa(await world.wallet())];
  const rules = [world.holds('1', { roleId: 'whale' })];
  const id = await world.communities.create({ roles: ['whale'], rules, members });
  const holdings = new Map(members.map((member) => [member, false]));
  const read = (member: string, app: RunningApp) =>
    world.gating
      .request('GET', `/access-control/${id}/${member}/roles`, undefined, {}, asUser(member), app)
      .catch(() => undefined); // the instance was killed
  const reads: Promise<unknown>[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const member = pick(members);
    holdings.set(member, random() < 0.5);
    world.book.set(member, holdings.get(member) === true ? rich : poor);
    for (let times = 0; times < 6; times += 1)
      reads.push(sleep(random() * 40).then(() => read(pick(members), pick(instances))));
    await sleep(random() * 40);
    if (round === ROUNDS / 4) await instances.pop()?.stop('SIGKILL');
    if (round === ROUNDS / 2) await instances.pop()?.stop('SIGKILL');
  }
  await Promise.all(reads);
  for (const member of members) {
    const isHeld = holdings.get(member) === true;
    const answer = await read(member, world.gating.app);
    expect(answer).toMatchObject({ status: 200, body: { roles: [{ id: 'whale', granted: isHeld }] } });
    const changes = (await world.events.roleChangesOf(id)).filter((change) => change.includes(` ${member} `));
    assertByTurns(
      changes.map((change) => change.split(' ')[0] ?? ''),
      isHeld,
    );
  }
  expect(await world.communities.assignments(id)).toEqual(
    members.filter((member) => holdings.get(member)).map((member) => `${member} whale`),
  );
});
