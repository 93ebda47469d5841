import { badRequest } from '@app/common';
import { isFields, MAX_TRIED_ADDRESSES, type PortalCatalogue, type RawRoleRule } from '@app/dto';
import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { IdentityConfig } from '../../common/identity.config.js';
import { type ManagedCommunity, CommunityPageRenderer } from '../communities/community-page-renderer.js';
import { toCssColor } from '../communities/role-color.js';
import { toCommunityPath, toCommunityTabs } from '../communities/community-tabs.js';
import { TypedNamesService } from '../communities/typed-names.service.js';
import type { SignedInSession } from '../sessions/page-session.decorator.js';
import type { CommunityTabsView, CommunityViews } from '../views/community-views.js';
import type { RuleViews } from '../views/rule-views.js';
import {
  type ConditionForm,
  hasAmounts,
  hasFractions,
  hasTokenIds,
  toConditionForm,
} from './condition-form.js';
import { createMark } from './create-mark.js';
import { OwnCollectionsConfig } from './own-collections.config.js';
import { describeExplanation } from './explain-words.js';
import type { KnownCollection } from './known-collections.js';
import type { ResolvedContract, ReadableChain } from './resolve-contract.js';
import { describeFollowing, RuleApi } from './rule-api.js';
import {
  canBeChanged,
  createDraft,
  type DraftOwner,
  type FormRuleType,
  findChanges,
  GROUP_MODES,
  type GroupMode,
  markRule,
  rebaseDraft,
  MAX_DRAFT_CONDITIONS,
  openDraft,
  resolveConditions,
  type RuleDraft,
  sealDraft,
  toRule,
} from './rule-draft.js';
import {
  createRuleNames,
  describeRule,
  isMetByEverybody,
  type RuleNames,
  shorten,
  toLine,
} from './rule-sentence.js';

/** A community whose rules the signed-in user may change, with what the pages of rules need. */
export interface RuleContext {
  readonly session: SignedInSession;
  readonly community: ManagedCommunity;
  readonly rules: readonly RawRoleRule[];
  readonly chains: readonly ReadableChain[];
  readonly offersOpenSea: boolean;
  /** The collections of the deployment's own on chains that it reads. */
  readonly ownCollections: OwnCollectionsConfig['OWN_COLLECTIONS'];
  /** The limits of communities without an approved application; absent where the deployment has no such communities. */
  readonly limits: PortalCatalogue['withoutApplication'];
  readonly names: RuleNames;
  readonly rulesPath: string;
}

export interface Refusal {
  readonly status: number;
  readonly problems: Record<string, string>;
}

/** @property name the ENS name that was typed in place of the address */
type TryAnswer = Awaited<ReturnType<RuleApi['tryRule']>>['results'][number] & { name?: string | undefined };

/** What the review page shows beside the draft. */
export interface ReviewState {
  readonly status?: number;
  /** What did not happen, where something was refused. */
  readonly refused?: string;
  readonly problems?: readonly string[];
  readonly conditionProblems?: ReadonlyMap<number, string>;
  readonly addresses?: string;
  readonly addressProblems?: readonly string[];
  readonly answers?: readonly TryAnswer[];
}

const MODES: Readonly<Record<GroupMode, string>> = {
  all: 'All must be met',
  any: 'One is enough',
  atLeast: 'At least this many',
  none: 'None may be met',
};

const SINGLE_MODES: Readonly<Partial<Record<GroupMode, string>>> = {
  all: 'It must be met',
  none: 'It must not be met',
};

const KINDS: Readonly<Record<FormRuleType, string>> = {
  ERC20: 'Token (ERC-20)',
  ERC721: 'NFT collection (ERC-721)',
  ERC1155: 'Several kinds of tokens (ERC-1155)',
  NATIVE: 'Coin of the chain',
  SOLANA_FT: 'Token of Solana',
  SOLANA_NFT: 'NFT of Solana',
  gnosis: 'Safe, a wallet with several owners',
  OPEN_SEA: 'Collection as OpenSea lists it',
};

const UNITS: Readonly<Record<FormRuleType, string>> = {
  ...{ ERC20: 'tokens', ERC721: 'NFTs', ERC1155: 'tokens', NATIVE: 'coins' },
  ...{ SOLANA_FT: 'tokens', SOLANA_NFT: 'NFTs', gnosis: '', OPEN_SEA: 'items' },
};

/** Names that the field of a new rule takes; the ones of the deployment's own, where it suggests any, because it surely can read them. */
function describeNames(own: RuleContext['ownCollections']): string {
  const [suggested] = own.filter(({ isSuggested }) => isSuggested);
  return suggested
    ? `Names that are known here work too, such as ${suggested.name}.`
    : 'Well-known names work too: Bored Apes, USDC.';
}

/** Loads what the pages of rules show, and renders them. */
@Injectable()
export class RulePages {
  constructor(
    readonly api: RuleApi,
    private readonly communities: CommunityPageRenderer,
    private readonly config: IdentityConfig,
    private readonly own: OwnCollectionsConfig,
    private readonly typedNames: TypedNamesService,
  ) {}

  /** @throws AppError 403 or 404 for others than those who run the community */
  async load(session: SignedInSession, communityId: string): Promise<RuleContext> {
    // First, because it says to others that they may not.
    const community = await this.communities.load(session, communityId);
    const [rules, catalogue] = await Promise.all([
      this.api.loadRules(session.user, communityId),
      this.api.loadCatalogue(),
    ]);
    const { chains, ruleTypes, withoutApplication: limits } = catalogue;
    return {
      ...{ session, community, rules, chains, limits },
      ownCollections: this.own.OWN_COLLECTIONS.filter((one) =>
        chains.some(({ chainId }) => chainId === one.chainId),
      ),
      offersOpenSea: ruleTypes.some(({ type, available }) => type === 'OPEN_SEA' && available),
      names: createRuleNames(chains),
      rulesPath: `${toCommunityPath(communityId)}/rules`,
    };
  }

  async sendList(response: Response, context: RuleContext): Promise<void> {
    const { community, rules, rulesPath, names } = context;
    const toRow = (rule: RawRoleRule) => ({
      words: describeRule(rule, names),
      line: toLine(describeRule(rule, names)),
      ...(canBeChanged(rule) ? { changePath: `${rulesPath}/new?rule=${markRule(rule)}` } : {}),
      removePath: `${rulesPath}/remove?rule=${markRule(rule)}`,
    });
    const roles = community.roles.map(({ id, name, color }) => ({
      ...{ name, color: toCssColor(color) },
      newPath: `${rulesPath}/new?role=${encodeURIComponent(id)}`,
      rules: rules.filter(({ roleId }) => roleId === id).map(toRow),
    }));
    const hasApplication = await this.api.hasApprovedApplication(context.session.user, community.id);
    const data = {
      ...this.frame(context),
      ...{ hasApplication, limits: context.limits },
      following: describeFollowing(hasApplication, context.limits !== undefined),
      rolesPath: `${toCommunityPath(community.id)}/roles`,
      canChange: community.status === 'active',
      roles,
    };
    this.send(response, context, 'rules', data, { title: 'Rules' });
  }

  sendStart(
    response: Response,
    context: RuleContext,
    draft: RuleDraft,
    {
      link = '',
      problems = {},
      status = 200,
      found,
    }: { link?: string; problems?: Record<string, string>; status?: number; found?: ResolvedContract },
  ): void {
    const { community, chains, names } = context;
    const collections = found?.kind === 'collection_required' ? found.collections : [];
    const data = {
      ...this.frame(context),
      draft: this.seal(context, draft),
      roles: community.roles,
      roleId: draft.roleId,
      isAnother: draft.conditions.length > 0,
      ...{ link, problems, nameExamples: describeNames(context.ownCollections) },
      chains: (found?.kind === 'chain_required' ? found.chains : []).map(({ chainId, name }) => ({
        ...{ id: chainId, name },
      })),
      collections: collections.map((one) => toCollectionChoice(one, names)),
      suggestions:
        collections.length > 0
          ? []
          : context.ownCollections
              .filter(({ isSuggested }) => isSuggested)
              .map((one) => toCollectionChoice(one, names)),
      ...(found?.kind === 'open_sea' ? { openSeaSlug: found.slug } : {}),
      coins: chains.map(({ chainId, name, nativeSymbol }) => ({
        ...{ id: chainId, text: `${nativeSymbol} on ${name}` },
      })),
    };
    this.send(response, context, 'rule-start', data, { title: 'New rule', status });
  }

  sendCondition(
    response: Response,
    context: RuleContext,
    draft: RuleDraft,
    {
      form,
      types,
      at,
      refusal,
    }: { form: ConditionForm; types: readonly FormRuleType[]; at?: number | undefined; refusal?: Refusal },
  ): void {
    const { names } = context;
    const { type, symbol, contractAddress, collectionName } = form;
    const chainId = Number(form.chainId);
    const coin = names.coinSymbol(chainId);
    const title =
      type === 'NATIVE'
        ? coin
        : (form.name || collectionName || shorten(contractAddress)) + (symbol ? ` (${symbol})` : '');
    const data = {
      ...this.frame(context),
      draft: this.seal(context, draft),
      ...(at === undefined ? {} : { at }),
      ...{ form, problems: refusal?.problems ?? {} },
      subject: {
        ...{ title, kind: KINDS[type], address: contractAddress },
        chainName: type === 'OPEN_SEA' ? '' : names.chainName(chainId),
        isOwn: context.ownCollections.some(
          (one) => one.chainId === chainId && one.address.toLowerCase() === contractAddress.toLowerCase(),
        ),
        mark: createMark(`${form.chainId}:${contractAddress || collectionName}`),
      },
      types: types.map((value) => ({ value, text: KINDS[value] })),
      hasAmounts: hasAmounts(type),
      hasTokenIds: types.some(hasTokenIds),
      unit: type === 'NATIVE' ? coin : hasFractions(type) && symbol ? symbol : UNITS[type],
    };
    this.send(response, context, 'rule-condition', data, { title: 'How much', status: refusal?.status });
  }

  sendReview(response: Response, context: RuleContext, draft: RuleDraft, state: ReviewState = {}): void {
    const { community, names, rules, rulesPath } = context;
    const changed = findChanged(context, draft);
    const rule = toRule(draft, changed);
    if (!rule) throw badRequest('input_invalid', 'This rule has no condition yet.');
    const changes = findChanges(draft, rules);
    // Whoever has seen the changes saves the rule beside them.
    const addresses = state.addresses ?? draft.addresses ?? '';
    const sealed = this.seal(context, { ...(changes ? rebaseDraft(draft, rules) : draft), addresses });
    const isGone = draft.changes !== undefined && changed === undefined;
    const modes = draft.conditions.length === 1 ? SINGLE_MODES : MODES;
    const data = {
      ...this.frame(context),
      draft: sealed,
      isNew: draft.changes === undefined || isGone,
      ...{ roles: community.roles, roleId: draft.roleId, roleName: nameRole(context, draft.roleId) },
      words: describeRule(rule, names),
      conditions: resolveConditions(draft, changed).map((condition, at) => ({
        words: describeRule(condition, names),
        ...(toConditionForm(condition) && draft.conditions[at] && 'rule' in draft.conditions[at]
          ? { changePath: `${rulesPath}/condition?draft=${sealed}&at=${at}` }
          : {}),
        ...(state.conditionProblems?.has(at) ? { problem: state.conditionProblems.get(at) ?? '' } : {}),
      })),
      canAdd: draft.conditions.length < MAX_DRAFT_CONDITIONS,
      mode: draft.conditions.length === 1 && draft.mode !== 'none' ? 'all' : draft.mode,
      modes: GROUP_MODES.flatMap((value) => {
        const text = modes[value];
        return text === undefined ? [] : [{ value, text }];
      }),
      count: draft.count,
      ...(changes && {
        changes: {
          ...{ removedCount: changes.removedCount, isGone },
          added: changes.added.map((one) => ({
            ...{ roleName: nameRole(context, one.roleId), words: describeRule(one, names) },
          })),
        },
      }),
      ...(state.refused === undefined ? {} : { refused: state.refused }),
      problems: [...(state.problems ?? [])],
      isMetByEverybody: isMetByEverybody(rule),
      ...{ addresses, addressProblems: [...(state.addressProblems ?? [])] },
      results: (state.answers ?? []).map((answer) => toResult(answer, rule, names)),
      ...{ maxAddresses: MAX_TRIED_ADDRESSES, takesNames: this.typedNames.isAvailable },
    };
    this.send(response, context, 'rule-review', data, { title: 'Check the rule', status: state.status });
  }

  sendRemoval(response: Response, context: RuleContext, rule: RawRoleRule, consequence: string): void {
    const data = {
      ...this.frame(context),
      ...{ mark: markRule(rule), roleName: nameRole(context, rule.roleId) },
      ...{ words: describeRule(rule, context.names), consequence },
    };
    this.send(response, context, 'rule-removal', data, { title: 'Remove rule' });
  }

  seal(context: RuleContext, draft: RuleDraft): string {
    return sealDraft(draft, toOwner(context), this.config.CREDENTIAL_PEPPER);
  }

  /** @returns a new draft for what is no draft */
  open(context: RuleContext, sealed: string | undefined): RuleDraft {
    const { community, rules } = context;
    const draft =
      sealed === undefined ? undefined : openDraft(sealed, toOwner(context), this.config.CREDENTIAL_PEPPER);
    return draft ?? createDraft(rules, community.roles.length === 1 ? (community.roles[0]?.id ?? '') : '');
  }

  /** What every page of rules shows. */
  private frame({ community, rulesPath }: RuleContext): { tabs: CommunityTabsView; rulesPath: string } {
    return { tabs: toCommunityTabs(community, 'rules'), rulesPath };
  }

  private send<K extends keyof RuleViews>(
    response: Response,
    { session, community }: RuleContext,
    view: K,
    data: CommunityViews[K],
    page: { title: string; status?: number | undefined },
  ): void {
    const options = { ...page, script: 'rule-builder' };
    this.communities.send(response, session, community.name, view, data, options);
  }
}

const toCollectionChoice = ({ chainId, address, name }: KnownCollection, names: RuleNames) => ({
  ...{ value: `${chainId}:${address}`, name, address, chainName: names.chainName(chainId) },
  mark: createMark(`${chainId}:${address}`),
});

const toOwner = ({ session, community }: RuleContext): DraftOwner => ({
  userId: session.user.userId,
  communityId: community.id,
});

/** The stored rule that a draft changes, as long as it is there. */
export const findChanged = ({ rules }: RuleContext, { changes }: RuleDraft): RawRoleRule | undefined =>
  changes === undefined ? undefined : rules.find((rule) => markRule(rule) === changes);

const nameRole = ({ community }: RuleContext, roleId: string): string =>
  community.roles.find(({ id }) => id === roleId)?.name ?? roleId;

/** The part of a rule at the path of an explanation, such as `allOf.0` or `not.anyOf.1`. */
function findPart(rule: RawRoleRule, path: string | undefined): unknown {
  const steps = path === undefined ? [] : path.split('.');
  const { roleId: _, ...condition } = rule;
  return steps.reduce<unknown>((part, step) => {
    if (Array.isArray(part)) return part[Number(step)];
    return isFields(part) ? part[step] : undefined;
  }, condition);
}

const toVerdict = (granted: boolean | null | undefined): 'yes' | 'no' | 'unknown' =>
  granted === true ? 'yes' : granted === false ? 'no' : 'unknown';

function toResult({ address, name, roles, explanations }: TryAnswer, rule: RawRoleRule, names: RuleNames) {
  return {
    ...{ address, name, shortAddress: shorten(address) },
    verdict: toVerdict(roles[0]?.granted),
    reasons: explanations.map((explanation) => {
      const isNegated = explanation.path?.split('.').includes('not') ?? false;
      const words = toLine(describeRule(findPart(rule, explanation.path), names));
      return {
        isMet: explanation.granted === null ? null : explanation.granted !== isNegated,
        condition: isNegated ? `must not: ${words}` : words,
        sentence: describeExplanation(explanation),
      };
    }),
  };
}
