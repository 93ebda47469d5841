import { describe, expect, it } from '@jest/globals';
import {
  AddressLookupTableAccount,
  ComputeBudgetProgram,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { AppError } from '@app/common';
import * as fc from 'fast-check';
import { judgeTransaction } from '../../../apps/account-kit/src/solana/messages/judgement/judge-transaction.js';
import {
  ASSOCIATED_TOKEN_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '../../../apps/account-kit/src/solana/messages/judgement/instruction.js';
import {
  listUnknownTokenAccounts,
  sumEffects,
} from '../../../apps/account-kit/src/solana/messages/judgement/sum-effects.js';
import { decodeWireTransaction } from '../../../apps/account-kit/src/solana/messages/transaction/decode-transaction.js';
import { resolveKeys } from '../../../apps/account-kit/src/solana/messages/transaction/resolve-keys.js';
import { createTokenInstruction, createTransfer, newAddress } from '../../support/solana-transactions.js';

const account = newAddress();
const sponsor = newAddress();
const memo = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
const mint = newAddress();
const tokenAccount = newAddress();
const stranger = newAddress();
const MAX_LAMPORTS = 20_000n;

interface Scenario {
  readonly payer?: PublicKey;
  readonly sponsor?: PublicKey;
  readonly listed?: readonly PublicKey[];
  readonly tables?: readonly AddressLookupTableAccount[];
  readonly version?: 'legacy' | 0;
}

function serialize(
  instructions: readonly TransactionInstruction[],
  { payer = account, version = 0, tables = [] }: Scenario,
) {
  const recentBlockhash = PublicKey.default.toBase58();
  const message = new TransactionMessage({
    payerKey: payer,
    recentBlockhash,
    instructions: [...instructions],
  });
  const compiled =
    version === 'legacy' ? message.compileToLegacyMessage() : message.compileToV0Message([...tables]);
  return new VersionedTransaction(compiled).serialize();
}

/** Layout: https://docs.rs/solana-address-lookup-table-interface, 56 bytes before the addresses. */
function toTableState({ state }: AddressLookupTableAccount) {
  const header = Buffer.alloc(56);
  header.writeUInt32LE(1);
  header.writeBigUInt64LE(2n ** 64n - 1n, 4);
  return {
    programId: 'AddressLookupTab1e1111111111111111111111111',
    data: Buffer.concat([header, ...state.addresses.map((key) => key.toBuffer())]),
  };
}

const createTable = (addresses: PublicKey[]) =>
  new AddressLookupTableAccount({
    key: newAddress(),
    state: {
      addresses,
      deactivationSlot: 2n ** 64n - 1n,
      lastExtendedSlot: 0,
      lastExtendedSlotStartIndex: 0,
    },
  });

function judge(instructions: readonly TransactionInstruction[], scenario: Scenario = {}) {
  const transaction = decodeWireTransaction(serialize(instructions, scenario));
  const tables = new Map((scenario.tables ?? []).map((table) => [table.key.toBase58(), toTableState(table)]));
  const keys = resolveKeys(transaction, tables);
  return judgeTransaction(transaction, keys, {
    account: account.toBase58(),
    sponsor: scenario.sponsor && { address: scenario.sponsor.toBase58(), maxLamports: MAX_LAMPORTS },
    listedPrograms: new Set((scenario.listed ?? []).map((key) => key.toBase58())),
  });
}

const judgeEffects = (instructions: readonly TransactionInstruction[], scenario?: Scenario) =>
  sumEffects(judge(instructions, scenario), new Map([[tokenAccount.toBase58(), mint.toBase58()]]));

const forbidden = expect.objectContaining({
  statusCode: 403,
  details: expect.objectContaining({ code: 'policy_forbidden' }),
});
const invalid = expect.objectContaining({
  statusCode: 400,
  details: expect.objectContaining({ code: 'solana_transaction_invalid' }),
});

function failureOf(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('did not fail');
}

const token = (
  type: number,
  accounts: readonly PublicKey[],
  fields: Partial<Parameters<typeof createTokenInstruction>[0]> = {},
) => createTokenInstruction({ type, accounts, ...fields });
const transferTokens = (amount: bigint, authority = account) =>
  token(3, [tokenAccount, stranger, authority], { amount });
const createTokenAccount = (data: Buffer, tokenProgram = TOKEN_PROGRAM, payer = account) =>
  new TransactionInstruction({
    programId: new PublicKey(ASSOCIATED_TOKEN_PROGRAM),
    keys: [payer, tokenAccount, stranger, mint, SystemProgram.programId, new PublicKey(tokenProgram)].map(
      (pubkey) => ({ pubkey, isSigner: pubkey === payer, isWritable: true }),
    ),
    data,
  });
const closeAccount = (destination: PublicKey) => token(9, [tokenAccount, destination, account]);

describe('judgeTransaction', () => {
  it('judgeTransaction: lets a sponsor pay for nothing that names it, wherever that is', () => {
    const keys = [account, account, account, stranger, tokenAccount, sponsor];
    const instruction = fc
      .record({
        program: fc.constantFrom(
          memo,
          memo,
          memo,
          SystemProgram.programId,
          new PublicKey(TOKEN_PROGRAM),
          sponsor,
        ),
        accounts: fc.array(fc.record({ pubkey: fc.constantFrom(...keys), isWritable: fc.boolean() }), {
          maxLength: 5,
        }),
        data: fc.oneof(
          fc.uint8Array({ maxLength: 14 }),
          fc.constant(Buffer.from('020000000100000000000000', 'hex')),
        ),
      })
      .map(
        ({ program, accounts, data }) =>
          new TransactionInstruction({
            programId: program,
            keys: accounts.map((one) => ({ ...one, isSigner: one.pubkey === account })),
            data: Buffer.from(data),
          }),
      );
    const table = createTable([newAddress(), sponsor, stranger, tokenAccount]);
    let allowed = 0;
    fc.assert(
      fc.property(
        fc.array(instruction, { minLength: 1, maxLength: 3 }),
        fc.constantFrom(sponsor, account, stranger),
        fc.constantFrom([], [table]),
        (instructions, payer, tables) => {
          const isNamed = instructions.some(
            ({ programId, keys: used }) =>
              programId.equals(sponsor) || used.some(({ pubkey }) => pubkey.equals(sponsor)),
          );
          try {
            const { feePayer, fee } = judge(instructions, { payer, sponsor, tables, listed: [memo] });
            expect({ isNamed, feePayer }).toEqual({
              isNamed: false,
              feePayer: payer.equals(sponsor) ? 'sponsor' : 'account',
            });
            expect(fee).toBeLessThanOrEqual(MAX_LAMPORTS);
            if (feePayer === 'sponsor') allowed += 1;
          } catch (error) {
            if (!(error instanceof AppError)) throw error;
            expect([400, 403]).toContain(error.statusCode);
          }
        },
      ),
      { numRuns: 1_000 },
    );
    expect(allowed).toBeGreaterThan(20);
  });

  it('judgeTransaction: sums what the account may lose, with the fee', () => {
    const effects = judgeEffects([
      ComputeBudgetProgram.setComputeUnitLimit({ units: 100_000 }),
      ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 15 }),
      createTransfer(account, 1_000),
      createTransfer(stranger, 5_000_000),
      SystemProgram.createAccount({
        fromPubkey: account,
        newAccountPubkey: stranger,
        lamports: 70,
        space: 10,
        programId: memo,
      }),
      createTokenAccount(Buffer.of(1)),
      transferTokens(5n),
      token(12, [newAddress(), mint, stranger, account], { amount: 7n, decimals: 6 }),
      token(4, [tokenAccount, stranger, account], { amount: 2n ** 64n - 1n, program: TOKEN_2022_PROGRAM }),
      closeAccount(account),
    ]);
    const fee = 2n * 5_000n + 2n;
    expect(effects.lamports).toBe(1_000n + 70n + 2_039_280n + fee);
    expect(effects.tokens).toEqual(new Map([[mint.toBase58(), 12n + 2n ** 64n - 1n]]));
    expect(effects.opaquePrograms).toEqual([]);
  });

  it('judgeTransaction: does not count what other signers spend', () => {
    const { spends } = judge(
      [
        createTransfer(stranger),
        transferTokens(5n, stranger),
        createTokenAccount(Buffer.alloc(0), TOKEN_PROGRAM, stranger),
      ],
      { payer: account, listed: [] },
    );
    expect(spends).toEqual([]);
  });

  it('judgeTransaction: counts what the account signs as one of several signers of a multisig', () => {
    const multisig = token(3, [tokenAccount, stranger, newAddress(), newAddress(), account], { amount: 9n });
    expect(judgeEffects([multisig]).tokens).toEqual(new Map([[mint.toBase58(), 9n]]));
  });

  it('judgeTransaction: lets no instruction of Token-2022 have the account but as its authority, whatever its accounts are', () => {
    const program = TOKEN_2022_PROGRAM;
    const shapes = [
      { type: 3, authorityIndex: 2, fields: { amount: 1n } },
      { type: 4, authorityIndex: 2, fields: { amount: 1n } },
      { type: 9, authorityIndex: 2, fields: {} },
      { type: 12, authorityIndex: 3, fields: { amount: 1n, decimals: 6 } },
    ];
    let allowed = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(...shapes),
        fc.constantFrom(TOKEN_PROGRAM, program),
        fc.array(fc.constantFrom(account, stranger, tokenAccount, mint), { minLength: 3, maxLength: 7 }),
        ({ type, authorityIndex, fields }, of, accounts) => {
          const instruction = token(type, accounts, { ...fields, program: of });
          try {
            judge([createTransfer(account), instruction]);
          } catch (error) {
            expect(error).toEqual(forbidden);
            return;
          }
          allowed += 1;
          const positions = accounts.flatMap((key, index) => (key === account ? [index] : []));
          // The account gets the rent of what it closes.
          const isDestination = (index: number) => type === 9 && index === 1;
          const others = positions.filter((index) => index !== authorityIndex && !isDestination(index));
          if (of === program) expect(others).toEqual([]);
          else if (type !== 9) expect(others.filter((index) => index < authorityIndex)).toEqual([]);
        },
      ),
      { numRuns: 2_000 },
    );
    expect(allowed).toBeGreaterThan(100);
  });

  it('judgeTransaction: forbids a transfer of Token-2022 whose hook would get the signature of the account', () => {
    const accounts = [tokenAccount, mint, newAddress(), stranger, account, SystemProgram.programId, memo];
    const transfer = token(12, accounts, { amount: 0n, decimals: 0, program: TOKEN_2022_PROGRAM });
    expect(failureOf(() => judge([createTransfer(account), transfer]))).toEqual(forbidden);
    const asAuthority = [tokenAccount, mint, stranger, account, memo];
    const own = token(12, asAuthority, { amount: 7n, decimals: 0, program: TOKEN_2022_PROGRAM });
    expect(judgeEffects([own, createTransfer(account)]).tokens).toEqual(new Map([[mint.toBase58(), 7n]]));
  });

  it('judgeTransaction: names the token accounts whose mint has to be read, and rejects those that do not exist', () => {
    const judgement = judge([transferTokens(5n)]);
    expect(listUnknownTokenAccounts(judgement)).toEqual([tokenAccount.toBase58()]);
    expect(failureOf(() => sumEffects(judgement, new Map()))).toEqual(invalid);
  });

  it.each<[string, TransactionInstruction]>([
    ['SetAuthority', token(6, [tokenAccount, account], { amount: 1n })],
    ['Burn', token(8, [tokenAccount, mint, account], { amount: 1n })],
    [
      'a transfer with bytes after it',
      token(3, [tokenAccount, stranger, account], { amount: 1n, decimals: 1 }),
    ],
    ['closing to another account', closeAccount(stranger)],
    ['RecoverNested', createTokenAccount(Buffer.of(2))],
    ['a token account of an unknown token program', createTokenAccount(Buffer.of(0), memo.toBase58())],
    ['System Assign', SystemProgram.assign({ accountPubkey: account, programId: memo })],
    ['System Allocate', SystemProgram.allocate({ accountPubkey: account, space: 1 })],
    [
      'creating the account itself for a program',
      SystemProgram.createAccount({
        fromPubkey: stranger,
        newAccountPubkey: account,
        lamports: 1,
        space: 1,
        programId: memo,
      }),
    ],
    [
      'an instruction of a program that is not listed',
      new TransactionInstruction({ programId: memo, keys: [], data: Buffer.from('hello') }),
    ],
    ['a unit price above the limit', ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 7_142_858 })],
  ])('judgeTransaction: forbids %s', (_, instruction) => {
    const signed = createTransfer(account);
    expect(failureOf(() => judge([signed, instruction]))).toEqual(forbidden);
  });

  it('judgeTransaction: allows programs that are listed, but no more of those that it decodes', () => {
    const call = new TransactionInstruction({ programId: memo, keys: [], data: Buffer.from('hello') });
    expect(judge([call], { listed: [memo] }).opaquePrograms).toEqual([memo.toBase58()]);
    const setAuthority = token(6, [tokenAccount, account], { amount: 1n });
    const listed = [new PublicKey(TOKEN_PROGRAM)];
    expect(failureOf(() => judge([setAuthority], { listed }))).toEqual(forbidden);
  });

  it('judgeTransaction: rejects durable nonces, other fee payers, and transactions that the account does not sign', () => {
    const advance = SystemProgram.nonceAdvance({ noncePubkey: stranger, authorizedPubkey: account });
    for (const [instructions, payer] of [
      [[advance, createTransfer(account)], account],
      [[createTransfer(account)], stranger],
      [[createTransfer(stranger)], stranger],
    ] as const)
      expect(failureOf(() => judge(instructions, { payer }))).toEqual(invalid);
  });

  it('judgeTransaction: lets the sponsor pay the fee and nothing else', () => {
    const pays = { payer: sponsor, sponsor };
    expect(judgeEffects([createTransfer(account, 3)], pays).lamports).toBe(3n);
    expect(judge([createTransfer(account)], pays)).toMatchObject({ feePayer: 'sponsor', fee: 10_000n });
    const toSponsor = SystemProgram.transfer({ fromPubkey: account, toPubkey: sponsor, lamports: 1 });
    expect(failureOf(() => judge([toSponsor], pays))).toEqual(forbidden);
    expect(failureOf(() => judge([toSponsor], { sponsor }))).toEqual(forbidden);
    expect(failureOf(() => judge([createTransfer(stranger)], pays))).toEqual(invalid);
  });

  it('judgeTransaction: lets the sponsor pay a fee that is known and small enough', () => {
    const withBudget = (price: number, units?: number) => [
      ComputeBudgetProgram.setComputeUnitPrice({ microLamports: price }),
      ...(units === undefined ? [] : [ComputeBudgetProgram.setComputeUnitLimit({ units })]),
      createTransfer(account),
    ];
    const pays = { payer: sponsor, sponsor };
    expect(judge(withBudget(1_000_000, 10_000), pays).fee).toBe(MAX_LAMPORTS);
    expect(failureOf(() => judge(withBudget(1_000_001, 10_000), pays))).toEqual(forbidden);
    expect(failureOf(() => judge(withBudget(1), pays))).toEqual(forbidden);
    expect(judge(withBudget(0), pays).fee).toBe(10_000n);
  });

  it('judgeTransaction: finds accounts in address lookup tables', () => {
    const table = createTable([newAddress(), sponsor, stranger, tokenAccount]);
    expect(judgeEffects([transferTokens(5n)], { tables: [table] }).tokens.get(mint.toBase58())).toBe(5n);
    const toSponsor = SystemProgram.transfer({ fromPubkey: account, toPubkey: sponsor, lamports: 1 });
    // The compiler keeps the payer out of tables, so another payer stands in for the sponsor here.
    const transaction = decodeWireTransaction(serialize([toSponsor], { tables: [table] }));
    expect(transaction.staticKeys).not.toContain(sponsor.toBase58());
    const keys = resolveKeys(transaction, new Map([[table.key.toBase58(), toTableState(table)]]));
    const options = {
      account: account.toBase58(),
      sponsor: { address: sponsor.toBase58(), maxLamports: MAX_LAMPORTS },
      listedPrograms: new Set<string>(),
    };
    const signers = [sponsor.toBase58(), account.toBase58()];
    expect(failureOf(() => judgeTransaction({ ...transaction, signers }, keys, options))).toEqual(forbidden);
    expect(failureOf(() => resolveKeys(transaction, new Map()))).toEqual(invalid);
    const short = {
      programId: 'AddressLookupTab1e1111111111111111111111111',
      data: Buffer.alloc(56 + 32, 1),
    };
    expect(failureOf(() => resolveKeys(transaction, new Map([[table.key.toBase58(), short]])))).toEqual(
      invalid,
    );
  });

  it('judgeTransaction: judges a legacy and a version 0 transaction alike', () => {
    const amount = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
    const instruction = fc.oneof(
      fc.nat().map((lamports) => createTransfer(account, lamports)),
      amount.map((raw) => transferTokens(raw)),
      amount.map((raw) => token(12, [tokenAccount, mint, stranger, account], { amount: raw, decimals: 6 })),
      fc.constantFrom(createTokenAccount(Buffer.of(1)), closeAccount(account), closeAccount(stranger)),
      fc
        .tuple(
          fc.uint8Array({ maxLength: 60 }),
          fc.constantFrom(TOKEN_PROGRAM, SystemProgram.programId.toBase58()),
        )
        .map(([data, program]) => {
          const keys = [account, stranger, tokenAccount].map((pubkey) => ({
            pubkey,
            isSigner: pubkey === account,
            isWritable: true,
          }));
          return new TransactionInstruction({
            programId: new PublicKey(program),
            keys,
            data: Buffer.from(data),
          });
        }),
    );
    const outcome = (instructions: readonly TransactionInstruction[], version: 'legacy' | 0) => {
      try {
        return judge(instructions, { version });
      } catch (error) {
        return error;
      }
    };
    fc.assert(
      fc.property(fc.array(instruction, { minLength: 1, maxLength: 4 }), (instructions) => {
        expect(outcome(instructions, 'legacy')).toEqual(outcome(instructions, 0));
      }),
      { numRuns: 300 },
    );
  });
});
