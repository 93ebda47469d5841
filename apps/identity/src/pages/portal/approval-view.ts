import { SCOPES } from '@app/dto';
import { MAX_APPROVAL_MESSAGE_LENGTH } from '../../applications/approval-message.js';
import { selectScopesForApproval } from '../../applications/approval-state.js';
import type { ClientApplication } from '../../applications/entities/client-application.entity.js';
import { toWanted } from '../../applications/reviewed-values.js';
import { formatDuration, formatMinute } from '../views/format-values.js';
import type { ApprovalView, DecisionView, MessageFormView } from '../views/application-views.js';

const EMPTY_FORM: MessageFormView = { message: '', problems: {} };

/** The application has stood where it stands since then. Applications that an earlier release stored have waited since their last change. */
export const findWaitingTime = ({ waitingSince, updatedAt }: ClientApplication): Date =>
  waitingSince ?? updatedAt;

/** The approval as the owner sees it. Undefined where nobody waits and nobody has written. */
export function toApprovalView(
  application: ClientApplication,
  form: MessageFormView = EMPTY_FORM,
): ApprovalView | undefined {
  const { status, ownerMessage, ownerMessageAt, operatorMessage, operatorMessageAt } = application;
  const messages = [
    { who: 'You', text: ownerMessage, at: ownerMessageAt },
    { who: 'The operators', text: operatorMessage, at: operatorMessageAt },
  ].flatMap(({ who, text, at }) =>
    text === null || at === null ? [] : [{ heading: `${who} wrote on ${formatMinute(at)}`, text, at }],
  );
  if (status !== 'pending' && messages.length === 0) return undefined;
  const since = findWaitingTime(application);
  const missing = selectScopesForApproval(application).filter(
    (scope) => !application.approvedScopes.includes(scope),
  );
  return {
    ...(status === 'pending' && {
      waiting: {
        since: formatMinute(since),
        duration: formatDuration(Date.now() - since.getTime()),
        scopes: missing.map((scope) => SCOPES[scope]),
      },
    }),
    messages: messages
      .sort((a, b) => a.at.getTime() - b.at.getTime())
      .map(({ heading, text }) => ({ heading, text })),
    hasOwnerMessage: ownerMessage !== null,
    maxLength: MAX_APPROVAL_MESSAGE_LENGTH,
    form,
  };
}

/** The decisions of operators whose notices the owner has not dismissed, the latest first. */
export const toDecisionViews = (applications: readonly ClientApplication[]): DecisionView[] =>
  applications
    .flatMap((application) => {
      const { decisionNoticeAt } = application;
      return decisionNoticeAt ? [{ application: toWanted(application), at: decisionNoticeAt }] : [];
    })
    .sort((a, b) => b.at.getTime() - a.at.getTime())
    .map(
      ({ application: { id, name, status, rejectionReason, operatorMessage, operatorMessageAt }, at }) => ({
        id,
        name,
        isApproved: status === 'approved',
        time: formatMinute(at),
        message: rejectionReason ?? (operatorMessageAt && operatorMessageAt >= at ? operatorMessage : null),
      }),
    );
