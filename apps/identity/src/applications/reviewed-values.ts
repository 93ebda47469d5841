import { ClientApplication } from './entities/client-application.entity.js';
import { getSignInOrigins, NO_ORIGIN } from './get-sign-in-origins.js';

/** How users recognise an application, and where it sends them. Operators review these fields. */
export const REVIEWED_FIELDS = [
  'name',
  'iconUrl',
  'redirectUris',
  'postLogoutRedirectUris',
  'origins',
] as const;

export type ReviewedValues = Pick<ClientApplication, (typeof REVIEWED_FIELDS)[number]>;

/** Whether an operator has approved name, icon and addresses, which is what pages show and what works. */
export const isReviewed = ({
  revision,
  reviewedRevision,
}: Pick<ClientApplication, 'revision' | 'reviewedRevision'>): boolean => reviewedRevision === revision;

/** The application as its owner wants it: with the values that wait for approval. */
export const toWanted = (application: ClientApplication): ClientApplication =>
  Object.assign(new ClientApplication(), application, application.waitingValues);

export const selectReviewedValues = (values: ReviewedValues): ReviewedValues => ({
  name: values.name,
  iconUrl: values.iconUrl,
  redirectUris: values.redirectUris,
  postLogoutRedirectUris: values.postLogoutRedirectUris,
  origins: values.origins,
});

/** What the owner's values change of the approved ones. Removals take effect at once, all else waits. */
export function splitWantedValues(
  approved: ReviewedValues,
  wanted: ReviewedValues,
): ReviewedValues & Pick<ClientApplication, 'waitingValues'> {
  const redirectUris = approved.redirectUris.filter((uri) => wanted.redirectUris.includes(uri));
  const kept = {
    name: approved.name,
    iconUrl: wanted.iconUrl === null ? null : approved.iconUrl,
    redirectUris,
    postLogoutRedirectUris: approved.postLogoutRedirectUris.filter((uri) =>
      wanted.postLogoutRedirectUris.includes(uri),
    ),
    origins: keepOrigins(approved, wanted, redirectUris),
  };
  const isWaiting =
    wanted.name !== kept.name ||
    wanted.iconUrl !== kept.iconUrl ||
    !isSubset(wanted.redirectUris, kept.redirectUris) ||
    !isSubset(wanted.postLogoutRedirectUris, kept.postLogoutRedirectUris) ||
    !isSubset(getSignInOrigins(wanted), getSignInOrigins(kept));
  return { ...kept, waitingValues: isWaiting ? selectReviewedValues(wanted) : null };
}

/** The approved sign-in origins that the owner still wants, as a list for these redirect URIs. */
function keepOrigins(approved: ReviewedValues, wanted: ReviewedValues, redirectUris: string[]): string[] {
  const kept = getSignInOrigins(wanted).filter((origin) => getSignInOrigins(approved).includes(origin));
  const derived = getSignInOrigins({ origins: [], redirectUris });
  const isDerived = isSubset(derived, kept) && isSubset(kept, derived);
  if (wanted.origins.length === 0 && isDerived) return [];
  return kept.length === 0 ? [NO_ORIGIN] : kept;
}

const isSubset = (some: readonly string[], all: readonly string[]): boolean =>
  some.every((one) => all.includes(one));
