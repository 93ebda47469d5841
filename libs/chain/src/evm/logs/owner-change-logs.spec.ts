import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { encodeEventTopics, type Hex, pad, parseAbiItem, toEventSelector, toHex } from 'viem';
import { OWNER_CHANGE_TOPICS, parseOwnerChanges } from './owner-change-logs.js';

const CONTRACT = `0x${'c1'.repeat(20)}`;
const FROM: Hex = `0x${'0a'.repeat(20)}`;
const TO: Hex = `0x${'0b'.repeat(20)}`;
const NOBODY: Hex = `0x${'00'.repeat(20)}`;
const SPAN = { fromBlock: 10n, toBlock: 20n };
const word = (value: Hex): Hex => pad(value, { size: 32 });
const join = (...words: Hex[]): Hex => `0x${words.map((each) => word(each).slice(2)).join('')}`;

const log = (topics: readonly unknown[], data: Hex = '0x', fields: object = {}) => ({
  address: CONTRACT,
  topics,
  data,
  blockNumber: '0xf',
  blockHash: word('0xb10c'),
  logIndex: '0x2',
  removed: false,
  ...fields,
});
const parse = (...logs: object[]) => parseOwnerChanges(logs, new Set([CONTRACT]), SPAN);

const transfer = toEventSelector('Transfer(address,address,uint256)');
const standardTransfer = () => log([transfer, word(FROM), word(TO), word('0x7')]);

describe('parseOwnerChanges', () => {
  it('OWNER_CHANGE_TOPICS: are the hashes of the events', () => {
    const events = [
      'Transfer(address,address,uint256)',
      'ConsecutiveTransfer(uint256,uint256,address,address)',
      'TransferSingle(address,address,address,uint256,uint256)',
      'TransferBatch(address,address,address,uint256[],uint256[])',
      'AddedOwner(address)',
      'RemovedOwner(address)',
    ];
    expect(OWNER_CHANGE_TOPICS).toEqual(events.map((event) => toEventSelector(event)));
  });

  it('parseOwnerChanges: finds the accounts of each event as viem encodes it', () => {
    const single = parseAbiItem(
      'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
    );
    const consecutive = parseAbiItem(
      'event ConsecutiveTransfer(uint256 indexed fromTokenId, uint256 toTokenId, address indexed fromAddress, address indexed toAddress)',
    );
    const logs = [
      standardTransfer(),
      log(encodeEventTopics({ abi: [single], args: { operator: CONTRACT as Hex, from: FROM, to: TO } })),
      log(
        encodeEventTopics({
          abi: [consecutive],
          args: { fromTokenId: 1n, fromAddress: NOBODY, toAddress: TO },
        }),
        word('0x9'),
      ),
    ];
    expect(parse(...logs).map(({ accounts }) => accounts)).toEqual([[FROM, TO], [FROM, TO], [TO]]);
    expect(parse(standardTransfer())).toMatchObject([{ contract: CONTRACT, block: 15n }]);
  });

  it('parseOwnerChanges: reads owners of Safes in both layouts, and transfers whose accounts are not indexed', () => {
    const added = toEventSelector('AddedOwner(address)');
    const removed = toEventSelector('RemovedOwner(address)');
    const logs = [
      log([added, word(FROM)]),
      log([added], word(FROM)),
      log([removed], word(TO)),
      log([transfer], join(FROM, TO, '0x7')),
    ];
    expect(parse(...logs).map(({ accounts }) => accounts)).toEqual([[FROM], [FROM], [TO], [FROM, TO]]);
  });

  it.each([
    ['another contract', { address: TO }],
    ['another event', { topics: [word('0x1')] }],
    ['a removed log', { removed: true }],
    ['an earlier block', { blockNumber: '0x9' }],
    ['a later block', { blockNumber: '0x15' }],
    ['no block', { blockNumber: null }],
    ['a block number that is too long', { blockNumber: `0x${'1'.repeat(40)}` }],
    ['no topics', { topics: [] }],
    ['a topic that is no word', { topics: [transfer, '0x12'] }],
    ['no data', { data: undefined }],
  ])('parseOwnerChanges: refuses everything from a node that answers with %s', (_, fields) => {
    expect(() => parse(standardTransfer(), { ...standardTransfer(), ...fields })).toThrow(
      'the node answered',
    );
  });

  it('parseOwnerChanges: names no account for data of a contract that is none, and never fails because of it', () => {
    const hex = fc.uint8Array({ maxLength: 200 }).map((bytes) => toHex(bytes));
    const topic = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => toHex(bytes));
    fc.assert(
      fc.property(
        fc.constantFrom(...OWNER_CHANGE_TOPICS),
        fc.array(topic, { maxLength: 3 }),
        hex,
        (event, more, data) => {
          const [change] = parse(log([event, ...more], data));
          for (const account of change?.accounts ?? []) expect(account).toMatch(/^0x[0-9a-f]{40}$/);
        },
      ),
    );
    expect(parse(log([transfer, word('0x1'), `0x${'ff'.repeat(32)}`]))[0]?.accounts).toEqual([
      `0x${'0'.repeat(39)}1`,
    ]);
  });
});
