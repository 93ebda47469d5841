import { AddressPolicy, parseOutboundUrl } from '@app/http';
import { z } from 'zod';

/** Usernames that operators alone give, because people would take their owner for the operator of the service, or for nobody. */
const RESERVED_USERNAMES: ReadonlySet<string> = new Set(
  `
  about abuse account accounts admin administrator administrators admins announcement announcements anonymous api app apps assets
  audit auth authentication authorize billing blog bot bots callback chain community communities consent contact contract
  credential credentials dashboard default deleted demo dev developer developers docs documentation email everyone explorer
  faq feedback finance founder gatehouse guest help helpdesk here home hostmaster info internal invalid invite
  issuer jobs legal login logout mail mailer_daemon member members metamask mod moderator moderators news nobody noreply no_reply
  null oauth oauth2 official openid operator operators owner owners passkey passkeys password payment payments policy portal
  postmaster press privacy profile public register registration root sales security service services settings sign_in sign_out
  signin signout signup staff status superuser support sys sysadmin system team terms test tester token tokens trust
  undefined unknown user username users verified verify wallet wallets webmaster well_known www
  `
    .trim()
    .split(/\s+/),
);

export const MAX_NAME_CODE_POINTS = 64;
/**
 * Longer inputs are not normalised. A code point has at most two UTF-16 units, and NFC shortens a text to a third at
 * most.
 */
const MAX_NAME_INPUT_LENGTH = 8 * MAX_NAME_CODE_POINTS;
/** Marks on one letter: more paint over the lines above and below it. Scripts in use stack up to four. */
const MAX_MARKS = 4;

/**
 * Controls, direction marks, zero-width characters, line separators, unassigned and private code points, and letters without a
 * shape (Hangul fillers, the empty Braille pattern). The variation selector of emoji may follow an emoji.
 */
const INVISIBLE =
  /[\p{C}\p{Zl}\p{Zp}\u2800]|(?!\ufe0f)\p{Default_Ignorable_Code_Point}|(?<!\p{Extended_Pictographic})\ufe0f/u;
const STACKED_MARKS = new RegExp(`\\p{M}{${MAX_MARKS + 1}}`, 'u');
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

export const countCodePoints = (text: string): number => Array.from(text).length;

function findNameProblem(name: string): string | undefined {
  if (name === '') return 'must not be empty';
  if (countCodePoints(name) > MAX_NAME_CODE_POINTS)
    return `must have at most ${MAX_NAME_CODE_POINTS} characters`;
  if (INVISIBLE.test(name)) return 'must not hold invisible or control characters';
  if (STACKED_MARKS.test(name)) return `must not hold more than ${MAX_MARKS} marks in a row`;
  return VISIBLE.test(name) ? undefined : 'must hold a visible character';
}

/** What a user wants to be called: not unique, and no claim about who it is. Spaces around it are removed. */
export const profileName = z
  .string()
  .max(MAX_NAME_INPUT_LENGTH, `must have at most ${MAX_NAME_CODE_POINTS} characters`)
  .transform((text) => text.normalize('NFC').trim())
  .check(({ value, issues }) => {
    const message = findNameProblem(value);
    if (message !== undefined) issues.push({ code: 'custom', message, input: value });
  });

/** Without exceptions for the networks of the deployment: browsers load the picture, not this service. */
const PUBLIC_HOSTS = new AddressPolicy();

/** Percent-encodes what a URL cannot hold, and writes international host names in ASCII. */
const toCanonicalUrl = (text: string): string => (URL.canParse(text) ? new URL(text).href : text);

/** The https URL of a picture, at most 2,048 characters. Its host has letters, digits, dots and hyphens only. */
export const profilePicture = z
  .string()
  .max(2_048)
  .transform((text) => toCanonicalUrl(text.trim()))
  .check(({ value, issues }) => {
    const parsed = parseOutboundUrl(value, PUBLIC_HOSTS);
    if (!parsed.ok) issues.push({ code: 'custom', message: parsed.problem, input: value });
  });

/** User ids begin so (derive-user-id.ts). */
const USER_ID_PREFIX = 'user_';

/** The form of usernames, which cannot be taken for an address (0x…) or a name of ENS (with a dot). */
export const USERNAME_PATTERN = /^[a-z][a-z0-9_]{2,31}$/;

export const isLikeUserId = (username: string): boolean => username.startsWith(USER_ID_PREFIX);

/** Why users may not choose a username themselves. A user to whom an operator gave the username keeps it. */
export function findUsernameReservation(username: string): string | undefined {
  if (isLikeUserId(username)) return `begins with ${USER_ID_PREFIX}, like the ids of users`;
  return RESERVED_USERNAMES.has(username) ? 'is reserved' : undefined;
}

/** A unique name, in lower case. Reserved ones pass, because their owners save their profiles, too. */
export const username = z
  .string()
  .transform((text) => text.trim().toLowerCase())
  .pipe(
    z
      .string()
      .regex(
        USERNAME_PATTERN,
        'must have 3 to 32 letters from a to z, digits and underscores, and begin with a letter',
      ),
  );
