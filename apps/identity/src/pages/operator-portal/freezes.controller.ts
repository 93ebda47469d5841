import {
  type AccountFreeze,
  freezeId,
  freezeReason,
  getFrozenClientId,
  removeFreezeRequest,
  type RemoveFreezeRequest,
  type SetFreezeRequest,
} from '@app/dto';
import { Database } from '@app/database';
import { FormBody } from '@app/service';
import { Body, Get, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { findShownApplications } from '../../applications/entities/client-applications.queries.js';
import type { Actor } from '../../applications/audit/audit-action.js';
import { OperatorActionsService } from '../../operators/operator-actions.service.js';
import { AccountKitClient } from '../../clients/account-kit-client.js';
import { PageController } from '../page-controller.decorator.js';
import { type FormFields, formFields } from '../portal/application-form.js';
import { CurrentSignedInSession, type SignedInSession } from '../sessions/page-session.decorator.js';
import { formatDay } from '../views/format-values.js';
import { PageRenderer } from '../views/page-renderer.js';
import type { FreezeFormView, FreezeView } from '../views/operator-views.js';
import { OperatorSessionService } from './operator-session.service.js';

const WHAT: Readonly<Record<AccountFreeze['scope'], string>> = {
  account: 'Account',
  application: 'Client application',
  chain: 'Chain',
  paymaster: 'Sponsor of chain',
  everything: 'Everything',
};

const EFFECTS: Readonly<Record<AccountFreeze['scope'], string>> = {
  account: 'This account signs nothing any more, on any chain, whichever application asks for it.',
  application:
    'No account signs anything any more that this application asks for. Its users cannot act through it.',
  chain: 'No account of any application signs anything for this chain any more.',
  paymaster:
    'The sponsor of this chain pays for no operation any more. Operations that it would have paid for are refused.',
  everything: 'No account of any application signs anything any more, on every chain.',
};

const toFreezeView = ({ id, scope, reason, frozenAt }: AccountFreeze): FreezeView => ({
  id,
  what: WHAT[scope],
  subject: id === scope ? '' : id.slice(scope.length + 1),
  reason,
  since: `${formatDay(new Date(frozenAt))}, ${frozenAt.slice(11, 16)} UTC`,
});

const SCOPES = ['account', 'application', 'chain', 'paymaster', 'everything'] as const;

const freezeFields = z.object({
  scope: z.enum(SCOPES, { error: 'Select what to freeze.' }),
  subject: z.string().trim().default(''),
  reason: freezeReason,
});

type FreezeFormResult =
  | { ok: true; request: SetFreezeRequest }
  /** Validation errors by field. */
  | { ok: false; problems: Record<string, string> };

const SUBJECT_PROBLEMS: Readonly<Record<(typeof SCOPES)[number], string>> = {
  account: 'This must be the EVM or Solana address of a smart account.',
  application: 'This must be a client ID.',
  chain: 'This must be a chain ID, SOL or SOL_DEVNET.',
  paymaster: 'This must be the ID of the chain.',
  everything: 'Leave this empty.',
};

function parseFreezeForm(fields: FormFields): FreezeFormResult {
  const parsed = freezeFields.safeParse(fields);
  if (!parsed.success)
    return {
      ok: false,
      problems: Object.fromEntries(
        parsed.error.issues.map(({ path: [field], message }) => [
          String(field),
          field === 'reason' ? 'This must have 1 to 500 characters, on one line.' : message,
        ]),
      ),
    };
  const { scope, subject, reason } = parsed.data;
  const id = freezeId.safeParse(subject === '' ? scope : `${scope}:${subject}`);
  return id.success
    ? { ok: true, request: { freezeId: id.data, reason } }
    : { ok: false, problems: { subject: SUBJECT_PROBLEMS[scope] } };
}

const PATH = 'portal/freezes';
const PAGE = { title: 'Freezes', section: 'freezes' } as const;
const EMPTY_FORM: FreezeFormView = { scope: 'account', subject: '', reason: '', problems: {} };

const OUTCOME_PROBLEMS = {
  client_not_found: 'No client application has this ID.',
  account_not_found: 'This address is no smart account of this deployment.',
} as const;

/** What operators keep from signing. */
@PageController(PATH)
export class FreezesController {
  constructor(
    private readonly operators: OperatorSessionService,
    private readonly actions: OperatorActionsService,
    private readonly accountKit: AccountKitClient,
    private readonly database: Database,
    private readonly pages: PageRenderer,
  ) {}

  @Get()
  async list(
    @CurrentSignedInSession() session: SignedInSession,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.send(this.getActor(session, request), session, response, EMPTY_FORM);
  }

  @Post()
  @FormBody()
  async set(
    @CurrentSignedInSession() session: SignedInSession,
    @Body({ schema: formFields }) fields: FormFields,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const actor = this.getActor(session, request);
    const parsed = parseFreezeForm(fields);
    if (parsed.ok && fields['confirmed'] !== 'yes' && (await this.isKnown(parsed.request))) {
      this.askFirst(session, response, fields);
      return;
    }
    const problems = parsed.ok ? await this.freeze(actor, parsed.request) : parsed.problems;
    if (problems === undefined) {
      response.redirect(303, `/${PATH}`);
      return;
    }
    const { scope = '', subject = '', reason = '' } = fields;
    await this.send(actor, session, response, { scope, subject, reason, problems });
  }

  @Post('remove')
  @FormBody()
  async remove(
    @CurrentSignedInSession() session: SignedInSession,
    @Body({ schema: removeFreezeRequest }) removal: RemoveFreezeRequest,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const target = getFrozenClientId(removal.freezeId) ?? removal.freezeId;
    await this.actions.recordAs(this.getActor(session, request), { action: 'freeze.removed', target });
    await this.accountKit.removeFreeze(removal);
    response.redirect(303, `/${PATH}`);
  }

  /** @returns validation errors by field, or undefined once it is frozen */
  private async freeze(actor: Actor, request: SetFreezeRequest): Promise<Record<string, string> | undefined> {
    const { freezeId, reason } = request;
    const clientId = getFrozenClientId(freezeId);
    const entry = { action: 'freeze.set', target: clientId ?? freezeId, details: { reason } } as const;
    const recorded = await this.actions.recordAs(actor, entry, clientId);
    if (recorded !== 'recorded') return { subject: OUTCOME_PROBLEMS[recorded] };
    const { outcome } = await this.accountKit.setFreeze(request);
    return outcome === 'set' ? undefined : { subject: OUTCOME_PROBLEMS[outcome] };
  }

  /** Whether the application exists that would be frozen; true for anything else, which account-kit looks up when it freezes. */
  private async isKnown({ freezeId }: SetFreezeRequest): Promise<boolean> {
    const clientId = getFrozenClientId(freezeId);
    return clientId === undefined || (await findShownApplications(this.database, [clientId])).size > 0;
  }

  /** Shows what a freeze hits before it is set. */
  private askFirst(session: SignedInSession, response: Response, fields: FormFields): void {
    const { scope = '', subject = '', reason = '' } = fields;
    const chosen = SCOPES.find((known) => known === scope) ?? 'everything';
    const name = chosen === 'everything' ? 'everything' : `${WHAT[chosen].toLowerCase()} ${subject.trim()}`;
    this.pages.send(
      response,
      'freeze-confirmation',
      {
        what: WHAT[chosen],
        effect: EFFECTS[chosen],
        button: `Freeze ${name}`,
        form: { scope, subject: subject.trim(), reason },
      },
      { ...PAGE, title: `Freeze ${name}?`, session, isStep: true },
    );
  }

  private async send(
    actor: Actor,
    session: SignedInSession,
    response: Response,
    form: FreezeFormView,
  ): Promise<void> {
    await this.actions.recordAs(actor, { action: 'freezes.listed', target: 'freezes' });
    const { items } = await this.accountKit.listFreezes();
    const status = Object.keys(form.problems).length > 0 ? 422 : 200;
    this.pages.send(
      response,
      'freezes',
      { freezes: items.map(toFreezeView), form },
      { ...PAGE, session, status },
    );
  }

  private getActor({ user }: SignedInSession, { path }: Request): Actor {
    return this.operators.getActor(user, path);
  }
}
