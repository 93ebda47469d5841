import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import 'reflect-metadata';
import { address, lamports } from '@solana/kit';
import {
  AddressLookupTableAccount,
  ComputeBudgetProgram,
  Keypair,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { parsePolicyDocument } from '../../../apps/account-kit/src/policies/rules/parse-policy-document.js';
import { createTransfer, newAddress, toBase64 } from '../../support/solana-transactions.js';
import { until } from '../../support/until.js';
import { type Account, MEMO_PROGRAM, SolanaWorld } from './solana-world.js';

const PAYMENT = 3_000_000;
const FEE = 10_000n;

let world: SolanaWorld;
let account: Account;
let sponsor: PublicKey;

beforeAll(async () => {
  world = await SolanaWorld.start();
  sponsor = world.sponsor.publicKey;
});
beforeEach(async () => {
  account = await world.createAccount();
  world.signer.calls = 0;
  for (const node of world.nodes) node.change = (response) => response;
  await world.query('DELETE FROM account_kit.freezes');
  await world.query('UPDATE account_kit.solana_transactions SET next_attempt_at = NULL');
});
afterAll(() => world.stop());

const pay = () => createTransfer(account.key, PAYMENT);
const build = (...instructions: TransactionInstruction[]) => world.build(sponsor, instructions);
const submit = (transaction: string, isSponsored = true) =>
  world.submit(account, transaction, { isSponsored });
const refusal = (statusCode: number, code: string) => ({
  statusCode,
  details: expect.objectContaining({ code }),
});

/** A node's table of addresses with the layout of https://docs.rs/solana-address-lookup-table-interface */
function createTable(addresses: PublicKey[]): AddressLookupTableAccount {
  const state = {
    addresses,
    deactivationSlot: 2n ** 64n - 1n,
    lastExtendedSlot: 0,
    lastExtendedSlotStartIndex: 0,
  };
  const table = new AddressLookupTableAccount({ key: newAddress(), state });
  const header = Buffer.alloc(56);
  header.writeUInt32LE(1);
  header.writeBigUInt64LE(state.deactivationSlot, 4);
  world.cluster.svm.setAccount({
    address: address(table.key.toBase58()),
    data: Buffer.concat([header, ...addresses.map((key) => key.toBuffer())]),
    executable: false,
    lamports: lamports(10_000_000n),
    programAddress: address('AddressLookupTab1e1111111111111111111111111'),
    space: BigInt(56 + 32 * addresses.length),
  });
  return table;
}

/** The account pays the fee; keys that do not sign are taken from the table. */
function buildWithTable(instruction: TransactionInstruction, table: AddressLookupTableAccount): string {
  world.cluster.advance();
  const message = new TransactionMessage({
    payerKey: account.key,
    recentBlockhash: world.cluster.svm.latestBlockhash(),
    instructions: [instruction],
  });
  return toBase64(new VersionedTransaction(message.compileToV0Message([table])));
}

const callMemo = (...keys: PublicKey[]) =>
  new TransactionInstruction({
    programId: new PublicKey(MEMO_PROGRAM),
    keys: keys.map((pubkey) => ({ pubkey, isSigner: pubkey.equals(account.key), isWritable: true })),
    data: Buffer.from('thanks'),
  });

describe('a Solana transaction whose fee a sponsor pays', () => {
  it('a sponsored transaction: lands, and costs the sponsor exactly the fee', async () => {
    const receiver = newAddress();
    const [ofSponsor, ofAccount] = [world.balanceOf(sponsor), world.balanceOf(account.key)];
    const signature = await submit(
      build(
        ComputeBudgetProgram.setComputeUnitLimit({ units: 5_001 }),
        ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1_000_001 }),
        SystemProgram.transfer({ fromPubkey: account.key, toPubkey: receiver, lamports: PAYMENT }),
      ),
    );
    world.startWorker();
    await until('it is included', async () => (await world.stateOf(signature)) === 'included');
    await world.stopWorkers();
    expect(world.balanceOf(receiver)).toBe(BigInt(PAYMENT));
    expect(ofAccount - world.balanceOf(account.key)).toBe(BigInt(PAYMENT));
    expect(ofSponsor - world.balanceOf(sponsor)).toBe(FEE + 5_002n);
  });

  it.each<[string, () => string, number, string]>([
    [
      'the sponsor pays in an instruction',
      () => build(pay(), createTransfer(sponsor, PAYMENT)),
      403,
      'policy_forbidden',
    ],
    ['a listed program gets the sponsor', () => build(pay(), callMemo(sponsor)), 403, 'policy_forbidden'],
    [
      'the sponsor stands behind a table',
      () => buildWithTable(callMemo(account.key, sponsor), createTable([newAddress(), sponsor])),
      403,
      'policy_forbidden',
    ],
    [
      'the sponsor is writable and the account pays the fee',
      () => world.build(account.key, [callMemo(account.key, sponsor)]),
      403,
      'policy_forbidden',
    ],
    [
      'the sponsor is to sign and the account pays the fee',
      () => world.build(account.key, [pay(), createTransfer(sponsor, PAYMENT)]),
      400,
      'solana_transaction_invalid',
    ],
    [
      'the unit price makes the fee too high',
      () =>
        build(
          ComputeBudgetProgram.setComputeUnitLimit({ units: 90_001 }),
          ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1_000_000 }),
          pay(),
        ),
      403,
      'policy_forbidden',
    ],
    [
      'a unit price has no limit of units',
      () => build(ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1 }), pay()),
      403,
      'policy_forbidden',
    ],
    [
      'another account pays the fee',
      () => {
        const other = Keypair.generate();
        return world.build(other.publicKey, [pay()], [other]);
      },
      400,
      'solana_transaction_invalid',
    ],
    ['the account does not sign', () => build(callMemo()), 400, 'solana_transaction_invalid'],
  ])('T166: a sponsored transaction: is not signed when %s', async (_, transaction, status, code) => {
    await expect(submit(transaction())).rejects.toMatchObject(refusal(status, code));
    expect(world.signer.calls).toBe(0);
  });

  it('a sponsored transaction: is not signed without a policy that has a sponsor', async () => {
    await expect(submit(build(pay()), false)).rejects.toMatchObject(refusal(403, 'policy_forbidden'));
    expect(world.signer.calls).toBe(0);
  });

  it('a sponsored transaction: is not signed while the sponsor is frozen, and not sent when that happens while it is signed', async () => {
    const before = world.balanceOf(account.key);
    world.signer.meanwhile = () =>
      world.query(
        `INSERT INTO account_kit.freezes (scope, subject, reason) VALUES ('paymaster', 'SOL_DEVNET', 'test')`,
      );
    await expect(submit(build(pay()))).rejects.toMatchObject(refusal(403, 'frozen'));
    world.signer.meanwhile = () => Promise.resolve();
    await expect(submit(build(pay()))).rejects.toMatchObject(refusal(403, 'frozen'));
    expect(await world.settleAll()).toBe(0);
    const sql = 'SELECT state, signature FROM account_kit.solana_transactions WHERE account_id = $1';
    expect(await world.query(sql, [account.id])).toEqual([{ state: 'rejected', signature: null }]);
    expect(world.balanceOf(account.key)).toBe(before);
    await expect(submit(world.build(account.key, [pay()]))).resolves.toEqual(expect.any(String));
    expect(world.signer.calls).toBe(2);
  });

  it('a sponsored transaction: is signed while the policy has room for its fee', async () => {
    const fees = { of: 'sponsoredFees', network: 'SOL_DEVNET', per: 'application', period: 'day' };
    // What other programs take is not limited by it, so they need not be listed.
    const policy = parsePolicyDocument(
      JSON.stringify({ solanaNetworks: ['SOL_DEVNET'], caps: [{ ...fees, max: String(2 * Number(FEE)) }] }),
    );
    const results = await Promise.allSettled(
      [[pay()], [pay()], [pay(), callMemo(account.key)], [pay()]].map((instructions) =>
        world.submit(account, build(...instructions), { isSponsored: true, policy }),
      ),
    );
    const refused = results.filter((result) => result.status === 'rejected');
    expect(refused).toHaveLength(2);
    for (const { reason } of refused)
      expect(reason).toMatchObject({
        ...refusal(403, 'policy_limit_exceeded'),
        message: expect.stringContaining('lamports of fees that a sponsor pays'),
      });
    expect(world.signer.calls).toBe(2);
    expect(await world.query('SELECT used::int FROM account_kit.cap_usage')).toEqual([
      { used: 2 * Number(FEE) },
    ]);
    // The account pays the fee of a transaction without a sponsor.
    await world.submit(account, world.build(account.key, [pay()]), { policy });
  });

  it('T166: a sponsored transaction: is not signed when the simulation takes more than the fee from the sponsor', async () => {
    for (const node of world.nodes)
      node.change = (response, { method }) => {
        if (method !== 'simulateTransaction') return response;
        const result = response.result as { value: { accounts: { lamports: number }[] } };
        const accounts = result.value.accounts.map((one) => ({ ...one, lamports: one.lamports - 1 }));
        return { ...response, result: { ...result, value: { ...result.value, accounts } } };
      };
    await expect(submit(build(pay()))).rejects.toMatchObject(refusal(403, 'policy_forbidden'));
    expect(world.signer.calls).toBe(0);
  });

  it('a sponsored transaction: is judged again when another transaction of the sponsor lands meanwhile', async () => {
    let landed = 0;
    for (const node of world.nodes)
      node.change = (response, { method }) => {
        if (method === 'getBalance' && (landed += 1) <= 2)
          world.cluster.svm.airdrop(address(sponsor.toBase58()), lamports(1_000n));
        return response;
      };
    await expect(submit(build(pay()))).resolves.toEqual(expect.any(String));
    expect(landed).toBeGreaterThan(2);
  });

  const setBalance = (value: bigint) => {
    world.cluster.svm.setAccount({
      address: address(sponsor.toBase58()),
      data: new Uint8Array(),
      executable: false,
      lamports: lamports(value),
      programAddress: address(SystemProgram.programId.toBase58()),
      space: 0n,
    });
  };

  it('a sponsored transaction: is refused when the sponsor has no coins', async () => {
    const balance = world.balanceOf(sponsor);
    for (const value of [0n, FEE - 1n]) {
      setBalance(value);
      await expect(submit(build(pay()))).rejects.toMatchObject(refusal(503, 'sponsor_unavailable'));
    }
    setBalance(balance);
    expect(world.signer.calls).toBe(0);
  });

  it('T268: AcceptTransactionService: accepts as many sponsored transactions of all accounts at the same time as the sponsor can pay, and further ones once these have landed', async () => {
    await world.query('DELETE FROM account_kit.solana_transactions');
    const balance = world.balanceOf(sponsor);
    // What an account keeps to be exempt from rent, and six fees.
    setBalance(890_880n + 6n * FEE);
    let isLosing = true;
    for (const node of world.nodes) node.loseTransactions(() => isLosing);
    const first = await submit(build(pay()));
    const accounts = await Promise.all(Array.from({ length: 30 }, () => world.createAccount()));
    const submitFor = (of: Account) =>
      world.submit(
        of,
        world.build(sponsor, [
          SystemProgram.transfer({ fromPubkey: of.key, toPubkey: newAddress(), lamports: PAYMENT }),
        ]),
        { isSponsored: true, clientId: of.id },
      );
    const results = await Promise.allSettled(accounts.map(submitFor));
    const accepted = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    expect(accepted).toHaveLength(5);
    for (const result of results)
      if (result.status === 'rejected')
        expect(result.reason).toMatchObject(refusal(503, 'sponsor_unavailable'));
    isLosing = false;
    world.startWorker();
    for (const signature of [first, ...accepted])
      await until('it has landed', async () => (await world.stateOf(signature)) === 'included');
    expect(world.balanceOf(sponsor)).toBe(890_880n);
    setBalance(890_880n + FEE);
    const [next] = accounts.filter((_, index) => results[index]?.status === 'rejected');
    if (!next) throw new Error('no account was refused');
    await expect(submitFor(next)).resolves.toEqual(expect.any(String));
    await world.stopWorkers();
    setBalance(balance);
  });

  it('a sponsored transaction: is refused for the rest of the day after 50 that failed', async () => {
    const signature = await submit(build(pay()));
    await world.query(
      `INSERT INTO account_kit.solana_transactions (id, account_id, client_id, network, message, message_hash, signatures,
         blockhash, accepted_block_height, state, signature, sponsor, err)
       SELECT gen_random_uuid(), account_id, client_id, network, message, sha256(number::text::bytea), signatures, blockhash,
         accepted_block_height, 'reverted', 'failed ' || number, sponsor, '{}'
       FROM account_kit.solana_transactions, generate_series(1, 50) AS number WHERE signature = $1`,
      [signature],
    );
    await expect(submit(build(pay()))).rejects.toMatchObject(refusal(403, 'policy_limit_exceeded'));
    await expect(submit(world.build(account.key, [pay()]))).resolves.toEqual(expect.any(String));
    await world.query(`DELETE FROM account_kit.solana_transactions WHERE signature = 'failed 1'`);
    await expect(submit(build(pay()))).resolves.toEqual(expect.any(String));
    expect(world.signer.calls).toBe(3);
  });
});
