import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import 'reflect-metadata';
import { createDatabase, type Database } from '@app/database';
import { tokenGatingRule } from '@app/dto';
import { pino } from 'pino';
import { storage } from '../../apps/token-gating/src/database/storage.js';
import { DelegatedVaultsService } from '../../apps/token-gating/src/roles/evaluation/delegated-vaults.js';
import { GRANTED } from '../../apps/token-gating/src/rules/verdict.js';
import { RolesWorld } from './roles-world.js';

const contractAddress = `0x${'cc'.repeat(20)}`;
const rules = [
  tokenGatingRule.parse({ type: 'ERC20', chainId: 1, contractAddress, delegations: 'delegate.xyz' }),
];

/** Claims overlap, as they do on several instances: none is decided before the others have begun. */
const OVERLAPPING = [
  `CREATE FUNCTION wait_before_insert() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN PERFORM pg_sleep(0.3); RETURN NEW; END $$`,
  `CREATE TRIGGER wait BEFORE INSERT ON token_gating.delegated_vaults
   FOR EACH ROW EXECUTE FUNCTION wait_before_insert()`,
];

describe('DelegatedVaultsService', () => {
  let world: RolesWorld;
  let database: Database;
  let vaults: DelegatedVaultsService;
  let communityId: string;
  const [first, second] = [`user_${randomUUID()}`, `user_${randomUUID()}`];

  beforeAll(async () => {
    world = await RolesWorld.start();
    const settings = {
      DATABASE_URL: world.communities.databaseUrl,
      DATABASE_POOL_SIZE: 5,
      DATABASE_STATEMENT_TIMEOUT_MS: 5_000,
    };
    database = createDatabase(storage, settings, { name: 'token-gating', logger: pino({ level: 'silent' }) });
    await database.connect();
    vaults = new DelegatedVaultsService(database);
    for (const statement of OVERLAPPING) await world.communities.query(statement);
  });

  beforeEach(async () => {
    communityId = await world.communities.create({ roles: ['whale'], members: [first, second] });
  });

  afterAll(async () => {
    await database.close();
    await world.stop();
  });

  async function open() {
    const evaluation = await vaults.open(communityId, [first, second], rules);
    if (!evaluation) throw new Error('The rules count no vaults');
    return evaluation;
  }

  it('DelegatedVaultsService: tells every overlapping claim of the same member that the vault is theirs', async () => {
    const evaluations = await Promise.all([open(), open(), open()]);
    const claims = evaluations.map((one) => one.find(first).claim(['0x1', '0x2']));
    expect(await Promise.all(claims)).toEqual(Array(3).fill(['0x1', '0x2']));
  });

  it('DelegatedVaultsService: tells one of two members whose claims overlap that the vault is theirs', async () => {
    const evaluations = await Promise.all([open(), open()]);
    const claims = evaluations.map((one, at) => one.find([first, second][at] ?? '').claim(['0x1']));
    expect((await Promise.all(claims)).toSorted()).toEqual([[], ['0x1']]);
  });

  it('DelegatedVaultsService: ends vaults that were denied and that no rule counted, and no others', async () => {
    await (await open()).find(first).claim(['0x1', '0x2', '0x3']);
    const evaluation = await open();
    const member = evaluation.find(first);
    expect(member.known).toEqual(['0x1', '0x2', '0x3']);
    await member.claim(['0x1']);
    member.deny(['0x1', '0x2']);
    await evaluation.close(rules, [{ userId: first, verdicts: [GRANTED] }]);
    expect((await open()).find(first).known).toEqual(['0x1', '0x3']);
  });
});
