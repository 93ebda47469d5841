import { CHECK_TIMEOUT_MS } from '@app/chain/evm';
import type {
  TokenGatingExplanation,
  TokenGatingRequest,
  TokenGatingResponse,
  TokenGatingRule,
} from '@app/dto';
import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { Counter, Histogram } from 'prom-client';
import { type ChainReadOptions, ChainService, TOO_MANY_READS } from '../rules/chains/chain.service.js';
import type { SubjectAddresses } from '../subjects/subject-addresses.js';
import {
  loadSubjectAddresses,
  UserAddressesService,
  type Requester,
} from '../subjects/user-addresses.service.js';
import { toWalletLookupFailure, type WalletLookupFailure } from '../rules/rule-failures.js';
import { getTokenList } from '../rules/rule-type.js';
import { RuleServices } from '../rules/rule-services.js';
import { evaluateRules, type PlannedRule, PlanObserver } from './evaluate-rules.js';
import { explainRules } from './explain-rules.js';
import {
  createPathFormatter,
  judgeEntries,
  listRules,
  type RuleList,
  settleVerdicts,
  toExplainedRules,
} from './rule-list.js';
import { TokenListService } from './token-list.service.js';
import { checkChains, checkReadBudget, checkRuleTypes, checkTokenLists } from './validate-rules.js';
import { mergeRoles, type RoleVerdict, toTokenGatingResponse } from './roles-response.js';
import type { Verdict } from '../rules/verdict.js';

@Injectable()
export class CheckRolesMetrics {
  private readonly checks: Counter;
  private readonly rules: Counter<'type' | 'verdict'>;
  private readonly reads: Histogram;

  constructor({ metrics }: ServiceContext) {
    const registers = [metrics.registry];
    this.checks = new Counter({
      name: 'token_gating_checks_total',
      help: 'Role checks that read from chains.',
      registers,
    });
    this.rules = new Counter({
      name: 'token_gating_rules_total',
      help: 'Rules evaluated, by type and verdict.',
      labelNames: ['type', 'verdict'],
      registers,
    });
    this.reads = new Histogram({
      name: 'token_gating_check_reads',
      help: 'Chain reads of the first round per check, before deduplication.',
      buckets: [1, 2, 5, 10, 50, 100, 500, 1_000, 5_000, 20_000],
      registers,
    });
  }

  observe(planned: readonly PlannedRule[], verdicts: readonly Verdict[]): void {
    this.checks.inc();
    this.reads.observe(planned.reduce((sum, { plan }) => sum + (plan?.reads.length ?? 0), 0));
    const counts = new Map<string, { type: string; verdict: Verdict['kind']; count: number }>();
    planned.forEach(({ rule: { type } }, index) => {
      const verdict = verdicts[index]?.kind;
      if (!verdict) return;
      const key = `${type} ${verdict}`;
      const counted = counts.get(key);
      if (counted) counted.count += 1;
      else counts.set(key, { type, verdict, count: 1 });
    });
    // Once a label pair: prom-client sorts and joins the labels each time, 0.5 µs a rule.
    for (const { count, ...labels } of counts.values()) this.rules.inc(labels, count);
  }
}

export interface CheckRolesOptions {
  readonly requester: Requester;
  /** The tenant whose share of what checks have in common the check takes. */
  readonly tenantId: string;
  /** Whether transient failures are returned as errors beside the roles instead of a 503. */
  readonly lenient: boolean;
  /** Whether the account is judged as a member of a community would be (ADR 17): `not` of a rule that does not apply is granted. */
  readonly isMember?: boolean;
}

/** An account, and the rules that are judged for it one by one. */
interface CheckedAccount {
  readonly account: TokenGatingRequest['account'];
  readonly rules: readonly TokenGatingRule[];
}

interface CheckForLater {
  readonly response: TokenGatingResponse;
  /** Only where they were asked for. */
  readonly explanations: TokenGatingExplanation[] | undefined;
  readonly lacksRoom: boolean;
}

/** The explanation that a caller has asked for. */
export interface ExplanationRequest {
  /** Whether the caller may see the wallets of a user, and what these hold. An address that the caller names is shown anyway. */
  readonly showsUserWallets: boolean;
}

/** Determines which roles rules grant to an account. The request is validated before any chain is read. */
@Injectable()
export class CheckRolesService {
  constructor(
    private readonly chains: ChainService,
    private readonly tokenLists: TokenListService,
    private readonly userAddresses: UserAddressesService,
    private readonly metrics: CheckRolesMetrics,
    private readonly services: RuleServices,
  ) {}

  /**
   * Validates a request without input or output. @throws AppError 400
   * @param rename turns the path of a rule in a request of check-roles into that where it stands
   */
  validateRequest({ rules }: Pick<TokenGatingRequest, 'rules'>, rename?: (path: string) => string): void {
    const list = listRules(rules);
    const formatPath = createPathFormatter(list);
    this.validateRules(list, rename ? (index) => rename(formatPath(index)) : formatPath);
  }

  private validateRules(list: RuleList, formatPath = createPathFormatter(list)): void {
    const { rules } = list;
    checkChains(rules, this.chains, formatPath);
    checkRuleTypes(rules, this.services, formatPath);
    checkReadBudget(rules, 1);
    checkTokenLists(rules, this.tokenLists, formatPath);
  }

  /**
   * Checks that the requester may have the account checked, and the read budget of its wallets. Reads no chain.
   * @throws AppError 400, 404, or 503 while identity is unavailable
   */
  async validateAccount({ account, rules }: TokenGatingRequest, requester: Requester): Promise<void> {
    if (account.family !== 'user') return;
    const { maxCount } = await loadSubjectAddresses(account, requester, this.userAddresses);
    checkReadBudget(listRules(rules).rules, maxCount);
  }

  async checkRoles(
    request: TokenGatingRequest,
    { requester, tenantId, lenient, isMember = false }: CheckRolesOptions,
    explanation?: ExplanationRequest,
  ): Promise<TokenGatingResponse> {
    const { account } = request;
    const list = { ...listRules(request.rules), isMember };
    this.validateRules(list);
    if (!explanation) {
      const { verdicts } = await this.judgeList(account, list, requester, { tenantId });
      return toTokenGatingResponse(toRoles(list, verdicts), lenient);
    }
    const { verdicts, explanations } = await this.explainAccount(
      account,
      list,
      requester,
      { tenantId },
      explanation,
    );
    return { ...toTokenGatingResponse(toRoles(list, verdicts), lenient), explanations };
  }

  /**
   * Checks leniently what `checkRoles` checks. `lacksRoom`: reads were not made because too many are in progress, and
   * may be made later. Explanations name wallets and amounts: whether their reader may see these is judged when they are read.
   */
  async checkRolesForLater(
    request: Pick<TokenGatingRequest, 'account' | 'rules'>,
    {
      requester,
      tenantId,
      explain,
    }: Pick<CheckRolesOptions, 'requester' | 'tenantId'> & { readonly explain: boolean },
  ): Promise<CheckForLater> {
    const { account } = request;
    const list = listRules(request.rules);
    this.validateRules(list);
    const { verdicts, explanations } = explain
      ? await this.explainAccount(account, list, requester, { tenantId }, { showsUserWallets: true })
      : await this.judgeList(account, list, requester, { tenantId });
    return {
      response: toTokenGatingResponse(toRoles(list, verdicts), true),
      explanations,
      lacksRoom: verdicts.some(
        (verdict) => verdict.kind === 'undetermined' && verdict.failure === TOO_MANY_READS,
      ),
    };
  }

  /**
   * Judges an account: a verdict per rule, in order. Expects valid rules.
   * @throws AppError 400 for too many reads, 404 for a user id that the requester may not have checked
   */
  async judgeAccount(
    { account, rules }: CheckedAccount,
    requester: Requester,
    options: ChainReadOptions,
  ): Promise<Verdict[]> {
    const signal = createLookupSignal(account, rules);
    const loading = this.loadAddresses(account, requester);
    const addresses = loading instanceof Promise ? await loading : loading;
    return this.judge(rules, addresses, { ...options, signal });
  }

  private async judgeList(
    account: TokenGatingRequest['account'],
    list: RuleList,
    requester: Requester,
    options: ChainReadOptions,
  ): Promise<{ verdicts: readonly Verdict[]; explanations?: undefined }> {
    const verdicts = await this.judgeAccount({ account, rules: list.rules }, requester, options);
    return { verdicts: settleVerdicts(list, verdicts) };
  }

  /** Judges an account with an explanation per rule, in order. Makes the reads of `judgeAccount`, and throws what it throws. */
  private async explainAccount(
    account: TokenGatingRequest['account'],
    list: RuleList,
    requester: Requester,
    options: ChainReadOptions,
    { showsUserWallets }: ExplanationRequest,
  ): Promise<{ verdicts: readonly Verdict[]; explanations: TokenGatingExplanation[] }> {
    const { rules } = list;
    const signal = createLookupSignal(account, rules);
    const addresses = await this.loadAddresses(account, requester);
    const observer = new PlanObserver();
    const judged = await this.judge(rules, addresses, { ...options, signal }, observer);
    const verdicts = settleVerdicts(list, judged);
    const isUser = account.family === 'user';
    const subject = { addresses, isUser, showsHoldings: !isUser || showsUserWallets };
    return { verdicts, explanations: explainRules(toExplainedRules(list), verdicts, observer, subject) };
  }

  /** A promise only for user ids. */
  private loadAddresses(
    account: TokenGatingRequest['account'],
    requester: Requester,
  ): SubjectAddresses | Promise<SubjectAddresses | WalletLookupFailure> {
    const loading = loadSubjectAddresses(account, requester, this.userAddresses);
    return loading instanceof Promise ? loading.catch(toWalletLookupFailure) : loading;
  }

  /** Judges addresses: a verdict per rule, in order. Expects valid rules. @throws AppError 400 for too many reads */
  async judge(
    rules: readonly TokenGatingRule[],
    addresses: SubjectAddresses | WalletLookupFailure,
    options: ChainReadOptions,
    observer?: PlanObserver,
  ): Promise<Verdict[]> {
    const { chains, tokenLists, services } = this;
    const parts = { chains, tokenLists, services };
    const { planned, verdicts } = await evaluateRules(rules, addresses, options, parts, observer);
    this.metrics.observe(planned, verdicts);
    return verdicts;
  }
}

const toRoles = (list: RuleList, verdicts: readonly Verdict[]): RoleVerdict[] =>
  mergeRoles(list.entries, judgeEntries(list, verdicts));

/** The chain reader has the same timeout; a signal is needed only when lookups use up part of it. */
function createLookupSignal(
  account: TokenGatingRequest['account'],
  rules: readonly TokenGatingRule[],
): AbortSignal | undefined {
  const needsLookups = account.family === 'user' || rules.some(getTokenList);
  return needsLookups ? AbortSignal.timeout(CHECK_TIMEOUT_MS) : undefined;
}
