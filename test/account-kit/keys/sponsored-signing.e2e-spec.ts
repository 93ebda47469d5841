import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { isValidEd25519Signature } from '@app/chain/sign-in';
import {
  ComputeBudgetProgram,
  Keypair,
  PublicKey,
  type TransactionInstruction,
  TransactionMessage,
} from '@solana/web3.js';
import base58 from 'bs58';
import { createTokenInstruction, createTransfer, newAddress } from '../../support/solana-transactions.js';
import { type Account, KeysWorld, signRequest } from './keys-world.js';
import type { SignerFork } from './signer-fork.js';

const sponsor = Keypair.generate();
const other = Keypair.generate();

let world: KeysWorld;
let signer: SignerFork;
let account: Account;
let key: PublicKey;

beforeAll(async () => {
  world = await KeysWorld.start();
  signer = await world.startSigner({
    ACCOUNT_KEY_SECRET: Buffer.alloc(32, 1).toString('base64url'),
    SOLANA_SPONSOR_KEY_SOL_DEVNET: JSON.stringify([...sponsor.secretKey]),
    SOLANA_SPONSOR_MAX_LAMPORTS: '20000',
    DEFAULT_POLICY: 'open',
  });
  account = await world.createAccount(signer, '4001');
  key = new PublicKey(account.addresses.solanaAddresses['SOL_DEVNET'] ?? '');
});
beforeEach(() => world.pool.query('DELETE FROM account_kit.freezes'));
afterAll(() => world.stop());

interface Stored {
  readonly payer?: PublicKey;
  readonly sponsor?: string | null;
  readonly network?: 'SOL' | 'SOL_DEVNET';
  readonly state?: 'accepted' | 'rejected';
  readonly instructions?: readonly TransactionInstruction[];
}

/** Stores a transaction past every check, and asks the signer for it. */
async function sign(stored: Stored = {}) {
  const { payer = sponsor.publicKey, network = 'SOL_DEVNET', state = 'accepted' } = stored;
  const { instructions = [createTransfer(key)] } = stored;
  const message = new TransactionMessage({
    payerKey: payer,
    recentBlockhash: newAddress().toBase58(),
    instructions: [...instructions],
  }).compileToV0Message();
  const bytes = Buffer.from(message.serialize());
  const id = randomUUID();
  await world.pool.query(
    `INSERT INTO account_kit.solana_transactions (id, account_id, client_id, network, message, message_hash, signatures,
       blockhash, accepted_block_height, state, sponsor)
     VALUES ($1, $2, 'client', $3, $4, sha256($4), $5, 'blockhash', 1, $6, $7)`,
    [
      ...[id, account.id, network, bytes, Buffer.alloc(64 * message.header.numRequiredSignatures), state],
      stored.sponsor === undefined ? sponsor.publicKey.toBase58() : stored.sponsor,
    ],
  );
  return { bytes, outcome: await signer.call({ type: 'signSolanaTransaction', transactionId: id }) };
}

const withBudget = (price: number, units: number) => [
  ComputeBudgetProgram.setComputeUnitPrice({ microLamports: price }),
  ComputeBudgetProgram.setComputeUnitLimit({ units }),
  createTransfer(key),
];

/** `TransferChecked` of a stranger's tokens, with the account after the authority. */
const hookedTransfer = () =>
  createTokenInstruction({
    type: 12,
    accounts: [newAddress(), newAddress(), newAddress(), newAddress(), key],
    amount: 0n,
    decimals: 0,
    program: 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  });

describe('the signer process and the sponsor of a Solana transaction', () => {
  it('signer process and the sponsor of a Solana transaction: signs for the sponsor and the account', async () => {
    const { bytes, outcome } = await sign({ instructions: withBudget(1_000_000, 10_000) });
    if (outcome.status !== 'done') throw new Error(outcome.reason);
    const signatures = outcome.result as { address: string; signature: string }[];
    expect(signatures.map(({ address }) => address)).toEqual([sponsor.publicKey.toBase58(), key.toBase58()]);
    for (const { address, signature } of signatures)
      expect(
        isValidEd25519Signature({
          message: bytes,
          key: base58.decode(address),
          signature: Buffer.from(signature, 'base64'),
        }),
      ).toBe(true);
  });

  it('signer process and the sponsor of a Solana transaction: signs for the account alone when that pays the fee', async () => {
    const { outcome } = await sign({ payer: key, sponsor: null });
    expect(outcome).toMatchObject({ status: 'done', result: [{ address: key.toBase58() }] });
  });

  it('signer process and the sponsor of a Solana transaction: never signs for a sponsor that does not pay the fee', async () => {
    const instructions = [createTransfer(key), createTransfer(sponsor.publicKey)];
    const { outcome } = await sign({ payer: key, sponsor: null, instructions });
    expect(outcome).toMatchObject({ status: 'done', result: [{ address: key.toBase58() }] });
  });

  it.each<[string, () => Stored, string]>([
    ['a row that names no sponsor', () => ({ sponsor: null }), 'another account pays the fee'],
    [
      'a row that names another sponsor',
      () => ({ sponsor: newAddress().toBase58() }),
      'another account pays',
    ],
    [
      'the sponsor of another deployment',
      () => ({ payer: other.publicKey, sponsor: other.publicKey.toBase58() }),
      'another sponsor than its network',
    ],
    ['another fee payer', () => ({ payer: key }), 'another account pays the fee'],
    ['a state that is not accepted', () => ({ state: 'rejected' }), 'rejected'],
    [
      'the sponsor in an instruction',
      () => ({ instructions: [createTransfer(key), createTransfer(sponsor.publicKey)] }),
      'occurs in an instruction',
    ],
    ['a fee above the limit', () => ({ instructions: withBudget(1_000_001, 10_000) }), 'exceeds'],
    [
      'a transaction that the account does not sign',
      () => ({ instructions: [createTransfer(other.publicKey)] }),
      'not a signer',
    ],
    [
      'a transfer of Token-2022 whose hook would get the signature of the account',
      () => ({ instructions: [createTransfer(key), hookedTransfer()] }),
      'may be signed',
    ],
    [
      'an instruction of a program that is not listed',
      () => ({
        instructions: [createTransfer(key), { programId: newAddress(), keys: [], data: Buffer.alloc(1) }],
      }),
      'not on the list',
    ],
    ['a network without a sponsor', () => ({ network: 'SOL' }), 'not a signer'],
  ])('signer process and the sponsor of a Solana transaction: refuses %s', async (_, stored, reason) => {
    const { outcome } = await sign(stored());
    expect(outcome).toMatchObject({ status: 'refused', reason: expect.stringContaining(reason) });
  });

  it('signer process and the sponsor of a Solana transaction: refuses while the sponsor is frozen', async () => {
    await world.pool.query(
      `INSERT INTO account_kit.freezes (scope, subject, reason) VALUES ('paymaster', 'SOL_DEVNET', 'test')`,
    );
    expect((await sign()).outcome).toEqual({ status: 'refused', reason: 'operators have frozen it' });
    expect((await sign({ payer: key, sponsor: null })).outcome).toMatchObject({ status: 'done' });
  });

  it('signer process and the sponsor of a Solana transaction: refuses bytes of a custom action whose application is frozen while it runs', async () => {
    const request = signRequest(account);
    expect(await signer.call(request)).toMatchObject({ status: 'done' });
    await world.pool.query(
      `INSERT INTO account_kit.freezes (scope, subject, reason) VALUES ('application', $1, 'test')`,
      [request.clientId],
    );
    expect(await signer.call(request)).toEqual({ status: 'refused', reason: 'operators have frozen it' });
  });
});

/** A policy with transactions of this network, also sponsored ones. */
const ON_DEVNET = { solanaNetworks: ['SOL_DEVNET'], sponsoredNetworks: ['SOL_DEVNET'] };

describe('the signer process and the policy of a Solana transaction', () => {
  afterEach(() => world.pool.query('DELETE FROM account_kit.policies'));

  it.each<[string, Record<string, unknown>, string]>([
    ['on another network', { ...ON_DEVNET, solanaNetworks: ['SOL'] }, 'no transactions on'],
    ['with a sponsor', { ...ON_DEVNET, sponsoredNetworks: [] }, 'no sponsor on'],
    ['that takes more lamports', { ...ON_DEVNET, maxLamports: '999' }, 'may take 1000 lamports'],
    ['that no schema allows', { unknown: true }, 'unrecognized_keys'],
  ])(
    'signSolanaTransaction: does not sign a stored transaction %s than its policy',
    async (_, document, reason) => {
      await world.pool.query('INSERT INTO account_kit.policies (client_id, document) VALUES ($1, $2)', [
        'client',
        document,
      ]);
      const { outcome } = await sign();
      expect(outcome).toMatchObject({
        status: expect.not.stringMatching('done'),
        reason: expect.stringContaining(reason),
      });
    },
  );
});

describe('the signer process and the caps of a policy', () => {
  afterEach(() => world.pool.query('DELETE FROM account_kit.policies'));

  const setCap = (of: string) => {
    const cap = { of, network: 'SOL_DEVNET', per: 'account', period: 'day', max: '1000000' };
    return world.pool.query('INSERT INTO account_kit.policies (client_id, document) VALUES ($1, $2)', [
      'client',
      { caps: [cap], ...ON_DEVNET },
    ]);
  };

  it('signer process and the caps of a policy: refuses a transaction that has not reserved the fee which the sponsor pays', async () => {
    await setCap('sponsoredFees');
    const { outcome } = await sign();
    expect(outcome).toMatchObject({ status: 'refused', reason: expect.stringContaining('has not reserved') });
    expect((await sign({ payer: key, sponsor: null })).outcome).toMatchObject({ status: 'done' });
  });

  it('signer process and the caps of a policy: refuses a transaction that has not reserved what the account pays', async () => {
    await setCap('lamports');
    const { outcome } = await sign({ payer: key, sponsor: null });
    expect(outcome).toMatchObject({ status: 'refused', reason: expect.stringContaining('has not reserved') });
    expect((await sign()).outcome).toMatchObject({ status: 'refused' });
    // The sponsor pays the fee, and nothing else is moved.
    expect((await sign({ instructions: [createTransfer(key, 0)] })).outcome).toMatchObject({
      status: 'done',
    });
    await world.pool.query('DELETE FROM account_kit.policies');
    expect((await sign({ payer: key, sponsor: null })).outcome).toMatchObject({ status: 'done' });
  });
});
