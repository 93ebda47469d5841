import { describe, expect, it } from '@jest/globals';
import { AppError } from '@app/common';
import {
  Keypair,
  MessageV0,
  PublicKey,
  SystemProgram,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import * as fc from 'fast-check';
import { createTransfer, newAddress, toBase64 } from '../../support/solana-transactions.js';
import { checkForeignSignatures } from '../../../apps/account-kit/src/solana/messages/transaction/solana-transaction.js';
import {
  decodeTransaction,
  decodeWireTransaction,
  MAX_TRANSACTION_BYTES,
} from '../../../apps/account-kit/src/solana/messages/transaction/decode-transaction.js';
import { readSignerKeys } from '../../../apps/account-kit/src/solana/transactions/sign-transaction.service.js';

const account = Keypair.generate();
const foreign = Keypair.generate();
const blockhash = newAddress().toBase58();
const transfer = createTransfer(account.publicKey);

const invalid = expect.objectContaining({
  statusCode: 400,
  details: expect.objectContaining({
    code: 'solana_transaction_invalid',
    issues: [{ path: 'serializedTransactionBase64', message: expect.any(String) }],
  }),
});

const createMessage = (instructions = [transfer]) =>
  new TransactionMessage({ payerKey: account.publicKey, recentBlockhash: blockhash, instructions });

const createV0 = (instructions = [transfer]) =>
  new VersionedTransaction(createMessage(instructions).compileToV0Message());

describe('decodeTransaction', () => {
  it('decodeTransaction: reads the same of a legacy and a version 0 transaction', () => {
    const legacy = decodeTransaction(
      toBase64(new VersionedTransaction(createMessage().compileToLegacyMessage())),
    );
    const v0 = decodeTransaction(toBase64(createV0()));
    expect({ ...v0, wire: undefined, message: undefined }).toEqual({
      ...legacy,
      wire: undefined,
      message: undefined,
    });
    expect(v0).toMatchObject({
      blockhash,
      signers: [account.publicKey.toBase58()],
      lookups: [],
      instructions: [{ data: transfer.data, accountIndexes: [0, 1] }],
    });
    expect(v0.signatures).toEqual([new Uint8Array(64)]);
  });

  it('decodeTransaction: finds the same signers in a stored message', () => {
    const both = createMessage([transfer, createTransfer(foreign.publicKey)]);
    for (const message of [both.compileToLegacyMessage(), both.compileToV0Message()]) {
      const { signers, message: bytes } = decodeTransaction(toBase64(new VersionedTransaction(message)));
      expect(signers).toHaveLength(2);
      expect(readSignerKeys(Buffer.from(bytes)).map((key) => new PublicKey(key).toBase58())).toEqual(signers);
    }
  });

  it('decodeTransaction: keeps the bytes that the account has to sign', () => {
    const transaction = createV0();
    expect(Buffer.from(decodeTransaction(toBase64(transaction)).message)).toEqual(
      Buffer.from(transaction.message.serialize()),
    );
  });

  it('decodeTransaction: rejects everything that is no transaction with the 400 that names the field', () => {
    const valid = Buffer.from(createV0().serialize());
    const damaged = fc
      .tuple(fc.nat(valid.length - 1), fc.uint8Array({ maxLength: 8 }), fc.nat(8))
      .map(([at, bytes, removed]) =>
        Buffer.concat([valid.subarray(0, at), bytes, valid.subarray(at + removed)]),
      );
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 2_000 }), damaged), (bytes) => {
        try {
          const { wire, message, signatures } = decodeWireTransaction(bytes);
          expect(Buffer.concat([Buffer.of(signatures.length), ...signatures, message])).toEqual(
            Buffer.from(wire),
          );
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
          expect(error).toEqual(invalid);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('decodeTransaction: rejects bytes after the message, and a count of signatures other than that of the message', () => {
    const wire = Buffer.from(createV0().serialize());
    expect(() => decodeWireTransaction(Buffer.concat([wire, Buffer.of(0)]))).toThrow('canonical');
    const second = Buffer.concat([Buffer.of(2), Buffer.alloc(128), wire.subarray(65)]);
    expect(() => decodeWireTransaction(second)).toThrow('must hold 1 signatures');
  });

  it('decodeTransaction: rejects more bytes than Solana takes', () => {
    const wire = Buffer.alloc(MAX_TRANSACTION_BYTES + 1, 1);
    expect(() => decodeTransaction(wire.toString('base64'))).toThrow('must not exceed 1232 bytes');
  });

  it.each([
    ['a program outside the keys', { programIdIndex: 9, accountKeyIndexes: [0] }],
    ['the fee payer as a program', { programIdIndex: 0, accountKeyIndexes: [0] }],
    ['an account outside the keys', { programIdIndex: 1, accountKeyIndexes: [7] }],
  ])('decodeTransaction: rejects an instruction that names %s', (_, instruction) => {
    const message = new MessageV0({
      header: { numRequiredSignatures: 1, numReadonlySignedAccounts: 0, numReadonlyUnsignedAccounts: 1 },
      staticAccountKeys: [account.publicKey, SystemProgram.programId],
      recentBlockhash: blockhash,
      compiledInstructions: [{ ...instruction, data: Buffer.alloc(0) }],
      addressTableLookups: [],
    });
    expect(() => decodeTransaction(toBase64(new VersionedTransaction(message)))).toThrow('outside its keys');
  });
});

describe('checkForeignSignatures', () => {
  const own = [account.publicKey.toBase58()];
  const signedByBoth = () => createV0([transfer, createTransfer(foreign.publicKey)]);

  it('checkForeignSignatures: takes the signatures of other signers, and does not need those of the service', () => {
    const transaction = signedByBoth();
    transaction.sign([foreign]);
    checkForeignSignatures(decodeTransaction(toBase64(transaction)), own);
  });

  it('checkForeignSignatures: rejects a missing signature and one of another message', () => {
    const transaction = signedByBoth();
    const check = () => {
      checkForeignSignatures(decodeTransaction(toBase64(transaction)), own);
    };
    expect(check).toThrow(/missing/);
    transaction.sign([foreign]);
    transaction.signatures[1]?.reverse();
    expect(check).toThrow(/wrong/);
  });
});
