import { DAY_MS } from '@app/common';
import { Get, Param, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { type Actor, type AuditAction, auditAction } from '../../applications/audit/audit-action.js';
import type { AuditRecord } from '../../applications/audit/audit-record.entity.js';
import { AuditRecordsService, MAX_LISTED_RECORDS } from '../../applications/audit/audit-records.service.js';
import { PageController } from '../page-controller.decorator.js';
import { CurrentSignedInSession, type SignedInSession } from '../sessions/page-session.decorator.js';
import { formatDay } from '../views/format-values.js';
import { PageRenderer } from '../views/page-renderer.js';
import type { AuditRecordView } from '../views/operator-views.js';
import { OperatorSessionService } from './operator-session.service.js';

const ACTION_DESCRIPTIONS: Record<AuditAction, string> = {
  'client.created': 'registered an application',
  'client.changed': 'changed an application',
  'client.removed': 'deleted an application',
  'client.approved': 'approved an application',
  'client.rejected': 'rejected an application',
  'client.message-sent': 'wrote about an approval',
  'client.scopes-set': 'set the scopes of an application',
  'client.secret-rotated': 'rotated a client secret',
  'key.created': 'created an API key',
  'key.rotated': 'rotated an API key',
  'key.revoked': 'revoked an API key',
  'publishable-id.created': 'created a publishable ID',
  'publishable-id.revoked': 'revoked a publishable ID',
  'plan.set': 'set a plan',
  'plan.viewed': 'viewed a plan',
  'queue.listed': 'viewed the approvals',
  'audit.listed': 'viewed the audit log',
  'account-policy.viewed': 'viewed an account policy',
  'account-policy.set': 'set an account policy',
  'account-policy.removed': 'removed an account policy',
  'freezes.listed': 'viewed the freezes',
  'freeze.set': 'froze smart accounts',
  'freeze.removed': 'removed a freeze',
  'user.viewed': 'looked up a user',
  'user.erased': 'erased a user',
  'username.given': 'gave a username to a user',
  'username.freed': 'freed a username',
  'passkey.added': 'added a passkey',
  'passkey.kept': 'kept a passkey',
  'passkey.removed': 'removed a passkey',
  'passkey.blocked': 'used a passkey whose counter did not grow',
  'suspensions.listed': 'viewed the suspensions',
  'community.viewed': 'viewed a community',
  'community.suspended': 'suspended a community',
  'community.resumed': 'resumed a community',
};

const ACTOR_DESCRIPTIONS: Record<Actor['kind'], string> = {
  user: 'User',
  operator: 'Operator',
  command: 'The command line',
};

const toAuditRecordView = (record: AuditRecord): AuditRecordView => ({
  action: ACTION_DESCRIPTIONS[record.action],
  time: `${formatDay(record.at)}, ${record.at.toISOString().slice(11, 19)} UTC`,
  actor:
    record.actorId === null
      ? ACTOR_DESCRIPTIONS[record.actorKind]
      : `${ACTOR_DESCRIPTIONS[record.actorKind]} ${record.actorId}`,
  target: record.target,
  details: Object.keys(record.details).length === 0 ? '' : JSON.stringify(record.details),
});

const PATH = 'portal/audit';

/** Texts of PostgreSQL hold no NUL. */
const withoutNul = (text: string): boolean => !text.includes('\0');

const id = z.string().trim().max(128).refine(withoutNul).catch('').default('');
const day = z
  .union([z.literal(''), z.iso.date()])
  .catch('')
  .default('');

/** An invalid filter filters nothing, and an invalid `before` shows the newest records. */
const auditPage = z.object({
  who: id,
  on: id,
  what: z
    .union([z.literal(''), auditAction])
    .catch('')
    .default(''),
  from: day,
  to: day,
  before: z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .optional()
    .catch(undefined),
});
type AuditPage = z.output<typeof auditPage>;

const auditTarget = z.object({ target: z.string().refine(withoutNul, 'must not hold a NUL character') });
type AuditTarget = z.output<typeof auditTarget>;

const toOptional = (text: string): string | undefined => (text === '' ? undefined : text);

function toOlderPath(path: string, filter: Record<string, string>, before: number): string {
  const given = Object.entries(filter).filter(([, text]) => text !== '');
  return `${path}?${new URLSearchParams([...given, ['before', String(before)]]).toString()}`;
}

/** The audit log, for operators. */
@PageController(PATH)
export class AuditController {
  constructor(
    private readonly operators: OperatorSessionService,
    private readonly auditRecords: AuditRecordsService,
    private readonly pages: PageRenderer,
  ) {}

  @Get()
  async showAll(
    @CurrentSignedInSession() session: SignedInSession,
    @Query({ schema: auditPage }) page: AuditPage,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.send(session, request, response, page);
  }

  @Get(':target')
  async showTarget(
    @CurrentSignedInSession() session: SignedInSession,
    @Param({ schema: auditTarget }) { target }: AuditTarget,
    @Query({ schema: auditPage }) page: AuditPage,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.send(session, request, response, page, target);
  }

  private async send(
    session: SignedInSession,
    { path }: Request,
    response: Response,
    { before, ...filter }: AuditPage,
    target?: string,
  ): Promise<void> {
    this.operators.getActor(session.user, path);
    const { who, what, from, to, on } = filter;
    const records = await this.auditRecords.listRecords({
      target: target ?? toOptional(on),
      actorId: toOptional(who),
      action: what === '' ? undefined : what,
      from: from === '' ? undefined : new Date(from),
      to: to === '' ? undefined : new Date(Date.parse(to) + DAY_MS),
      before,
    });
    const oldest = records.length === MAX_LISTED_RECORDS ? records.at(-1) : undefined;
    const view = {
      records: records.map(toAuditRecordView),
      target,
      filter,
      isFiltered: Object.values(filter).some((text) => text !== ''),
      actions: auditAction.options.map((value) => ({ value, text: ACTION_DESCRIPTIONS[value] })),
      ...(oldest && { olderPath: toOlderPath(path, filter, oldest.id) }),
    };
    this.pages.send(response, 'audit', view, { title: 'Audit log', session, section: 'audit' });
  }
}
