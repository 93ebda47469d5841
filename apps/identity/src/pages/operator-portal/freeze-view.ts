import type { AccountFreeze } from '@app/dto';
import { formatDay } from '../views/format-values.js';
import type { FreezeView } from '../views/page-views.js';

const WHAT: Readonly<Record<AccountFreeze['scope'], string>> = {
  account: 'Account',
  application: 'Client application',
  chain: 'Chain',
  paymaster: 'Sponsor of chain',
  everything: 'Everything',
};

export const toFreezeView = ({ id, scope, reason, frozenAt }: AccountFreeze): FreezeView => ({
  id,
  what: WHAT[scope],
  subject: id === scope ? '' : id.slice(scope.length + 1),
  reason,
  since: `${formatDay(new Date(frozenAt))}, ${frozenAt.slice(11, 16)} UTC`,
});
