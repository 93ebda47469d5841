import { toChecksumAddress } from '@app/dto';
import { type SignInMessage } from '@app/chain/sign-in';
import * as fc from 'fast-check';

const unreserved = Array.from('abcXYZ0189-._~');
const pathUnits = [...unreserved, ...Array.from("!$&'()*+,;=:@"), '%2F', '%c3'];

const textFrom = (units: readonly string[], constraints: fc.StringConstraints = {}): fc.Arbitrary<string> =>
  fc.string({ ...constraints, unit: fc.constantFrom(...units) });

const host = fc.oneof(
  textFrom([...unreserved, '%2E', '!', '$'], { minLength: 1, maxLength: 20 }),
  fc.ipV4(),
  fc.ipV6().map((address) => `[${address}]`),
  fc.constant('[v7.a:b]'),
);
const authority = fc
  .tuple(
    fc.option(textFrom([...unreserved, ':', '%40'], { maxLength: 5 })),
    host,
    fc.option(fc.nat({ max: 99_999 })),
  )
  .map(([user, name, port]) => `${user === null ? '' : `${user}@`}${name}${port === null ? '' : `:${port}`}`);
const scheme = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9+.-]{0,6}$/);
const query = textFrom([...pathUnits, '/', '?'], { maxLength: 12 });
const path = fc.array(textFrom(pathUnits, { maxLength: 6 }), { maxLength: 4 });

export const uri: fc.Arbitrary<string> = fc
  .tuple(
    scheme,
    fc.oneof(
      fc.tuple(authority, path).map(([name, segments]) => ['/', name, ...segments].join('/')),
      fc
        .tuple(textFrom(pathUnits, { minLength: 1, maxLength: 6 }), path)
        .map((parts) => parts.flat().join('/')),
      fc
        .tuple(textFrom(pathUnits, { minLength: 1, maxLength: 6 }), path)
        .map((parts) => `/${parts.flat().join('/')}`),
    ),
    fc.option(query),
    fc.option(query),
  )
  .map(
    ([name, hierarchy, search, fragment]) =>
      `${name}:${hierarchy}${search === null ? '' : `?${search}`}${fragment === null ? '' : `#${fragment}`}`,
  );

const pad = (value: number): string => String(value).padStart(2, '0');

const dateTime: fc.Arbitrary<string> = fc
  .tuple(
    fc.date({
      min: new Date('0001-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59Z'),
      noInvalidDate: true,
    }),
    fc.option(fc.stringMatching(/^[0-9]{1,9}$/)),
    fc.option(fc.tuple(fc.constantFrom('+', '-'), fc.nat({ max: 23 }), fc.nat({ max: 59 }))),
  )
  .map(([date, fraction, offset]) => {
    const zone = offset === null ? 'Z' : `${offset[0]}${pad(offset[1])}:${pad(offset[2])}`;
    return `${date.toISOString().slice(0, 19)}${fraction === null ? '' : `.${fraction}`}${zone}`;
  });

const statement = textFrom([...unreserved, ...Array.from(" !$&'()*+,;=:/?#[]@")], { maxLength: 60 });

/** The required fields that are the same on every chain. */
export const commonFields = {
  domain: authority,
  uri,
  nonce: fc.stringMatching(/^[A-Za-z0-9]{8,40}$/),
  issuedAt: dateTime,
};
export const optionalFields = {
  scheme,
  statement,
  expirationTime: dateTime,
  notBefore: dateTime,
  requestId: textFrom(pathUnits, { maxLength: 12 }),
  resources: fc.array(uri, { maxLength: 4 }),
};

/** Arbitrary valid messages. */
export const signInMessage: fc.Arbitrary<SignInMessage> = fc.record(
  {
    ...commonFields,
    ...optionalFields,
    address: fc
      .uint8Array({ minLength: 20, maxLength: 20 })
      .map((bytes) => toChecksumAddress(`0x${Buffer.from(bytes).toString('hex')}`)),
    chainId: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  },
  { requiredKeys: ['domain', 'uri', 'nonce', 'issuedAt', 'address', 'chainId'] },
);

/** Replaces up to three characters at one position. */
export function changed(text: string): fc.Arbitrary<string> {
  const units = [
    ...Array.from('aZ09 :/?#[]@!$%-._~\n\r\t"<>\\^`{|}\0é1'),
    'URI: ',
    '\n\n',
    '- ',
    'T',
    'Z',
    '%2',
  ];
  return fc
    .tuple(
      fc.nat({ max: text.length }),
      fc.nat({ max: 3 }),
      fc.array(fc.constantFrom(...units), { maxLength: 2 }),
    )
    .map(([at, removed, added]) => text.slice(0, at) + added.join('') + text.slice(at + removed));
}
