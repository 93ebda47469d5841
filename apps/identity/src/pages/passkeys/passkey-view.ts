import type { Passkey } from '../../passkeys/passkeys.queries.js';
import { formatDay } from '../views/format-values.js';
import type { PasskeyView } from '../views/page-views.js';

export const toPasskeyView = ({
  id,
  name,
  createdAt,
  isBackedUp,
  isNew,
  isBlocked,
}: Passkey): PasskeyView => ({
  id,
  name,
  isBackedUp,
  isNew,
  isBlocked,
  added: formatDay(createdAt),
});
