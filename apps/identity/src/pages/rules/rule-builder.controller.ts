import { AppError } from '@app/common';
import { isSolanaChain, queryText } from '@app/dto';
import { FormBody } from '@app/service';
import { Body, Get, Param, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { z } from 'zod';
import { type CommunityParams, communityParams } from '../communities/communities.dto.js';
import { REFUSED_FORM_STATUS } from '../communities/form-problems.js';
import { PageController } from '../page-controller.decorator.js';
import { type FormFields, formFields } from '../portal/application-form.js';
import { CurrentSignedInSession, type SignedInSession } from '../sessions/page-session.decorator.js';
import {
  type ConditionForm,
  isFormRuleType,
  parseConditionForm,
  readConditionForm,
  toConditionForm,
} from './condition-form.js';
import { resolveContract } from './resolve-contract.js';
import {
  createDraftOf,
  type DraftCondition,
  type FormRuleType,
  GROUP_MODES,
  MAX_DRAFT_CONDITIONS,
  MAX_DRAFT_LENGTH,
  type RuleDraft,
} from './rule-draft.js';
import { type RuleContext, RulePages } from './rule-pages.js';
import { RuleSavingService } from './rule-saving.service.js';
import { findRule } from './rules.controller.js';

const optionalText = (maxLength: number) => queryText.max(maxLength).optional().catch(undefined);
const optionalInteger = z.coerce.number().int().nonnegative().optional().catch(undefined);

const builderQuery = z.object({
  draft: optionalText(MAX_DRAFT_LENGTH + 64),
  role: optionalText(64),
  /** The rule to change. */
  rule: optionalText(16),
  /** Whether a condition is to be added to the draft. */
  another: optionalText(8),
  /** What the rule is about, as somebody would type it: other pages lead here with it. */
  find: optionalText(128),
});
type BuilderQuery = z.output<typeof builderQuery>;

/** Longer links are kept as what they name: the addresses of pages are bounded. */
const MAX_KEPT_LINK_LENGTH = 512;

const conditionQuery = z.object({
  draft: optionalText(MAX_DRAFT_LENGTH + 64),
  chain: optionalInteger,
  contract: optionalText(128),
  id: optionalText(78),
  /** What was pasted, which stays in the field where the chain cannot be asked. */
  link: optionalText(MAX_KEPT_LINK_LENGTH),
  /** For what is no contract: NATIVE, OPEN_SEA. */
  type: optionalText(16),
  collection: optionalText(128),
  /** The condition to change. */
  at: optionalInteger,
});
type ConditionQuery = z.output<typeof conditionQuery>;

const NOT_FOUND = 404;
const TOO_MANY = 429;
const RETRYABLE_STATUSES: readonly number[] = [TOO_MANY, 503];

/** Builds and changes a rule in three steps: who or what, how much, check and save. The state of each step stands in its address. */
@PageController('portal/communities/:communityId/rules')
export class RuleBuilderController {
  constructor(
    private readonly pages: RulePages,
    private readonly saving: RuleSavingService,
  ) {}

  /** The first step without a condition, the last one with one. */
  @Get('new')
  async show(
    @CurrentSignedInSession() session: SignedInSession,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Query({ schema: builderQuery }) query: BuilderQuery,
    @Res() response: Response,
  ): Promise<void> {
    const context = await this.pages.load(session, communityId);
    const draft = openQuery(this.pages, context, query);
    const isBegun = draft.conditions.length > 0 && query.another === undefined;
    if (isBegun) this.pages.sendReview(response, context, draft);
    else if (query.find !== undefined) this.showFound(response, context, draft, query.find);
    else this.pages.sendStart(response, context, draft, {});
  }

  @Get('condition')
  async showCondition(
    @CurrentSignedInSession() session: SignedInSession,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Query({ schema: conditionQuery }) query: ConditionQuery,
    @Res() response: Response,
  ): Promise<void> {
    const context = await this.pages.load(session, communityId);
    const draft = this.pages.open(context, query.draft);
    if (query.at !== undefined) {
      this.showChange(response, context, draft, query.at);
      return;
    }
    try {
      const found = await this.readSubject(context, query);
      if ('problem' in found) this.sendProblem(response, context, draft, query, found.problem);
      else this.pages.sendCondition(response, context, draft, found);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const { statusCode, message } = error;
      if (RETRYABLE_STATUSES.includes(statusCode))
        this.sendProblem(
          response,
          context,
          draft,
          query,
          statusCode === TOO_MANY
            ? `${message} Try it again in a moment.`
            : `${context.names.chainName(query.chain ?? 0)} cannot be asked now what this is. What you pasted is kept. Try it again in a moment.`,
          statusCode,
        );
      else if (statusCode === NOT_FOUND)
        this.sendProblem(
          response,
          context,
          draft,
          query,
          `There is no token or collection at this address on ${context.names.chainName(query.chain ?? 0)}. It may be on another chain, or the address of a wallet.`,
        );
      else throw error;
    }
  }

  @Post('condition')
  @FormBody()
  async addCondition(
    @CurrentSignedInSession() session: SignedInSession,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Body({ schema: formFields }) fields: FormFields,
    @Res() response: Response,
  ): Promise<void> {
    const context = await this.pages.load(session, communityId);
    const draft = this.pages.open(context, fields['draft']);
    const at = optionalInteger.parse(fields['at'] === '' ? undefined : fields['at']);
    const form = readConditionForm(fields);
    if (!form) {
      this.pages.sendStart(response, context, draft, { status: REFUSED_FORM_STATUS });
      return;
    }
    const earlier = at === undefined ? undefined : draft.conditions[at];
    const result = parseConditionForm(form, earlier && 'rule' in earlier ? earlier.rule : {});
    const types = listTypes(fields['types'], form.type);
    const refuse = (problems: Record<string, string>): void => {
      this.pages.sendCondition(response, context, draft, {
        ...{ form, types, at, refusal: { status: REFUSED_FORM_STATUS, problems } },
      });
    };
    if (!result.ok) {
      refuse(result.problems);
      return;
    }
    const condition: DraftCondition = { rule: { ...result.condition } };
    const conditions =
      at === undefined ? [...draft.conditions, condition] : draft.conditions.with(at, condition);
    const path = this.toDraftPath(context, { ...draft, conditions });
    if (path === undefined || conditions.length > MAX_DRAFT_CONDITIONS)
      refuse({
        contractAddress:
          'This rule is too long for these pages. Name fewer token numbers, or make two rules of it.',
      });
    else response.redirect(303, path);
  }

  @Post('new')
  @FormBody()
  async continue(
    @CurrentSignedInSession() session: SignedInSession,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Body({ schema: formFields }) fields: FormFields,
    @Res() response: Response,
  ): Promise<void> {
    const context = await this.pages.load(session, communityId);
    const draft = applyFields(this.pages.open(context, fields['draft']), fields);
    const [step = '', argument] = (fields['step'] ?? '').split('-');
    switch (step) {
      case 'save':
        await this.saving.save(response, context, draft, fields['addresses'] ?? '');
        return;
      case 'try':
      case 'own':
        await this.saving.try(response, context, draft, fields['addresses'] ?? '', step === 'own');
        return;
      case 'another':
        response.redirect(303, `${this.toDraftPath(context, draft) ?? context.rulesPath}&another=1`);
        return;
      case 'update':
      case 'out': {
        const conditions =
          step === 'out' ? draft.conditions.toSpliced(Number(argument), 1) : draft.conditions;
        response.redirect(303, this.toDraftPath(context, { ...draft, conditions }) ?? context.rulesPath);
        return;
      }
      default:
        this.find(response, context, draft, fields);
    }
  }

  /** What the person pasted, named or chose. */
  private find(response: Response, context: RuleContext, draft: RuleDraft, fields: FormFields): void {
    const { chains, ownCollections, offersOpenSea, rulesPath } = context;
    const { link = '', step, choice = '', coin, chainId } = fields;
    const query = new URLSearchParams({ draft: this.pages.seal(context, draft) });
    const refuse = (problems: Record<string, string>): void => {
      this.pages.sendStart(response, context, draft, { link, problems, status: REFUSED_FORM_STATUS });
    };
    if (!context.community.roles.some(({ id }) => id === draft.roleId)) {
      refuse({ role: 'Choose the role that the rule gives.' });
      return;
    }
    const [chosenChain = '', chosenAddress = ''] = choice.split(':');
    if (step === 'coin') {
      query.set('chain', coin ?? '');
      query.set('type', 'NATIVE');
    } else if (step === 'collection') {
      query.set('type', 'OPEN_SEA');
      query.set('collection', fields['slug'] ?? '');
    } else if (chosenAddress !== '') {
      query.set('chain', chosenChain);
      query.set('contract', chosenAddress);
    } else {
      const found = resolveContract(link, {
        ...{ chains, ownCollections, offersOpenSea },
        chosenChainId: Number(chainId),
      });
      if (found.kind === 'problem') {
        refuse({ link: found.message });
        return;
      }
      if (found.kind !== 'target') {
        this.pages.sendStart(response, context, draft, { link, found });
        return;
      }
      query.set('chain', String(found.chainId));
      query.set('contract', found.address);
      if (found.tokenId !== undefined) query.set('id', found.tokenId);
      // An address that names no chain would lose the chosen one.
      if (chainId === undefined && link.length <= MAX_KEPT_LINK_LENGTH) {
        const isAddress = link.toLowerCase() === found.address.toLowerCase();
        query.set('link', isAddress ? found.address : link);
      }
    }
    response.redirect(303, `${rulesPath}/condition?${query.toString()}`);
  }

  /** @returns undefined for a draft that is too long for an address */
  private toDraftPath(context: RuleContext, draft: RuleDraft): string | undefined {
    const sealed = this.pages.seal(context, draft);
    return sealed.length > MAX_DRAFT_LENGTH ? undefined : `${context.rulesPath}/new?draft=${sealed}`;
  }

  /** Goes on where it is clear what is meant and who gets the role; else the first step asks for the rest. */
  private showFound(response: Response, context: RuleContext, draft: RuleDraft, link: string): void {
    const { chains, ownCollections, offersOpenSea, community, rulesPath } = context;
    const found = resolveContract(link, { chains, ownCollections, offersOpenSea });
    const hasRole = community.roles.some(({ id }) => id === draft.roleId);
    if (!hasRole || found.kind !== 'target') {
      this.pages.sendStart(response, context, draft, { link });
      return;
    }
    const query = new URLSearchParams({ draft: this.pages.seal(context, draft) });
    query.set('chain', String(found.chainId));
    query.set('contract', found.address);
    response.redirect(303, `${rulesPath}/condition?${query.toString()}`);
  }

  private showChange(response: Response, context: RuleContext, draft: RuleDraft, at: number): void {
    const condition = draft.conditions[at];
    const form = condition && 'rule' in condition ? toConditionForm(condition.rule) : undefined;
    if (form) this.pages.sendCondition(response, context, draft, { form, types: [form.type], at });
    else response.redirect(303, this.toDraftPath(context, draft) ?? context.rulesPath);
  }

  /** What the condition is about: what a contract says of itself, a coin, or a collection at OpenSea. */
  private async readSubject(
    context: RuleContext,
    { chain = 0, contract = '', id = '', type, collection = '' }: ConditionQuery,
  ): Promise<{ form: ConditionForm; types: FormRuleType[] } | { problem: string }> {
    const empty = {
      ...{ chainId: String(chain), contractAddress: contract, minToken: '1', maxToken: '', tokenId: id },
      ...{ collectionName: collection, name: '', symbol: '', decimals: '' },
    };
    const isReadable = context.chains.some(({ chainId }) => chainId === chain);
    if (type === 'OPEN_SEA' && context.offersOpenSea && collection !== '')
      return { form: { ...empty, type }, types: [type] };
    if (type === 'NATIVE' && isReadable) return { form: { ...empty, type }, types: [type] };
    if (!isReadable || contract === '')
      return { problem: 'Choose a chain, and paste the link or the address again.' };
    const token = await this.pages.api.readToken(context.session.user, chain, contract);
    const types = token.ruleTypes.filter(isFormRuleType);
    const [first] = types;
    if (first === undefined)
      return {
        problem:
          'This contract is neither a token nor a collection that rules can read. Paste the link of the token itself.',
      };
    const { contractAddress, name = '', symbol = '', decimals } = token;
    const form = { ...empty, type: first, contractAddress, name, symbol, decimals: String(decimals ?? '') };
    return { form, types };
  }

  private sendProblem(
    response: Response,
    context: RuleContext,
    draft: RuleDraft,
    query: ConditionQuery,
    problem: string,
    status = REFUSED_FORM_STATUS,
  ): void {
    this.pages.sendStart(response, context, draft, {
      link: toLink(query),
      problems: { link: problem },
      status,
    });
  }
}

/** What was pasted, or an id that says the same: the chain, the contract and the token. */
function toLink({ link, chain = 0, contract = '', id }: ConditionQuery): string {
  if (link !== undefined) return link;
  if (contract === '' || isSolanaChain(chain)) return contract;
  return id === undefined ? `eip155:${chain}:${contract}` : `eip155:${chain}/erc721:${contract}/${id}`;
}

function openQuery(pages: RulePages, context: RuleContext, { draft, role, rule }: BuilderQuery): RuleDraft {
  if (rule !== undefined) {
    const changing = createDraftOf(context.rules, findRule(context, rule));
    if (changing) return changing;
  }
  const opened = pages.open(context, draft);
  return role === undefined ? opened : { ...opened, roleId: role };
}

/** What the form of the last step changes of the draft. */
function applyFields(draft: RuleDraft, { role, mode, count, addresses }: FormFields): RuleDraft {
  const parsedMode = GROUP_MODES.find((one) => one === mode);
  const parsedCount = /^\d{1,2}$/.test(count ?? '') ? Number(count) : draft.count;
  const bounded = Math.min(Math.max(parsedCount, 1), MAX_DRAFT_CONDITIONS);
  return {
    ...draft,
    roleId: (role ?? draft.roleId).slice(0, 64),
    mode: parsedMode ?? draft.mode,
    count: bounded,
    ...(addresses === undefined ? {} : { addresses }),
  };
}

const listTypes = (text: string | undefined, chosen: FormRuleType): FormRuleType[] => {
  const types = (text ?? '').split(' ').filter(isFormRuleType);
  return types.includes(chosen) ? types : [chosen];
};
