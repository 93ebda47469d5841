/** What the page of a passkey says of the device, as people call it. */
export const DEVICE_PLATFORMS = ['Android', 'ChromeOS', 'iOS', 'Linux', 'macOS', 'Windows'] as const;
export type DevicePlatform = (typeof DEVICE_PLATFORMS)[number];

/**
 * Names of providers by the AAGUID of their passkeys, as they publish it. Without attestation nobody vouches for an AAGUID, so it names a
 * passkey and decides nothing.
 */
const PROVIDERS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '08987058-cadc-4b81-b6e1-30de50dcbe96': 'Windows Hello',
    '9ddd1817-af5a-4672-a2b9-3e3dd95000a9': 'Windows Hello',
    '6028b017-b1d4-4c02-b4b3-afcdafc96bb2': 'Windows Hello',
    'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4': 'Google Password Manager',
    'adce0002-35bc-c60a-648b-0b25f1f05503': 'Chrome on Mac',
    'fbfc3007-154e-4ecc-8c0b-6e020557d7bd': 'Apple Passwords',
    'dd4ec289-e01d-41c9-bb89-70fa845d4bf2': 'iCloud Keychain',
    '53414d53-554e-4700-0000-000000000000': 'Samsung Pass',
    'bada5566-a7aa-401f-bd96-45619a55120d': '1Password',
    'd548826e-79b4-db40-a3d8-11116f7e8349': 'Bitwarden',
    '531126d6-e717-415c-9320-3d9aa6981239': 'Dashlane',
    'fdb141b2-5d84-443e-8a35-4698c205a502': 'KeePassXC',
    '0ea242b4-43c4-4a1b-8b17-dd6d0b6baec6': 'Keeper',
    'b84e4048-15dc-4dd0-8640-f4f60813c8af': 'NordPass',
    '50726f74-6f6e-5061-7373-50726f746f6e': 'Proton Pass',
  }),
);

/** What a browser says of a new passkey. */
export interface PasskeyOrigin {
  readonly aaguid: string;
  readonly transports: readonly string[];
  readonly platform: DevicePlatform | undefined;
}

/**
 * A name by which a person tells a passkey from others: its provider where that is known, else where it is kept.
 * @param taken the names of the user's other passkeys
 */
export function createPasskeyName(origin: PasskeyOrigin, taken: readonly string[]): string {
  const name = PROVIDERS.get(origin.aaguid) ?? describePlace(origin);
  const used = new Set(taken);
  if (!used.has(name)) return name;
  let number = 2;
  while (used.has(`${name} ${number}`)) number += 1;
  return `${name} ${number}`;
}

function describePlace({ transports, platform }: PasskeyOrigin): string {
  if (transports.includes('internal')) return platform === undefined ? 'Passkey' : `Passkey on ${platform}`;
  if (transports.includes('hybrid')) return 'Passkey on a phone';
  return transports.some((one) => one === 'usb' || one === 'nfc') ? 'Security key' : 'Passkey';
}
