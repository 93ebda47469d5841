import { isDeepStrictEqual } from 'node:util';
import { AppError } from '@app/common';
import { MAX_TRIED_ADDRESSES, type RawRoleRule } from '@app/dto';
import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { z } from 'zod';
import { toInvitationsPath, toMembersPath } from '../communities/community-tabs.js';
import { REFUSED_FORM_STATUS } from '../communities/form-problems.js';
import { isTypedName, MAX_TYPED_NAMES, TypedNamesService } from '../communities/typed-names.service.js';
import { PageNoticesService } from '../sessions/page-notices.service.js';
import { toSentence } from './condition-form.js';
import { findChanges, type RuleDraft, toRule } from './rule-draft.js';
import { findChanged, type ReviewState, type RuleContext, RulePages } from './rule-pages.js';
import { describeRule, toLine } from './rule-sentence.js';

const CONFLICT = 409;
const REFUSALS: readonly number[] = [400, 403, 409, 413, 429, 503];

const issueList = z.array(z.object({ path: z.string(), message: z.string() }));
type Issue = z.output<typeof issueList>[number];

/** Tries and saves a rule that was built on the pages. What the operations refuse is shown beside what it is about. */
@Injectable()
export class RuleSavingService {
  constructor(
    private readonly pages: RulePages,
    private readonly notices: PageNoticesService,
    private readonly names: TypedNamesService,
  ) {}

  /** Leads to the list once the rule is saved. A rule that is there already was saved by the first of two clicks. */
  async save(response: Response, context: RuleContext, draft: RuleDraft, addresses: string): Promise<void> {
    const { rules, rulesPath, session, community } = context;
    const changed = findChanged(context, draft);
    const rule = toRule(draft, changed);
    if (!rule) {
      response.redirect(303, `${rulesPath}/new`);
      return;
    }
    const isThere = rules.some((one) => isDeepStrictEqual(one, rule));
    if (isThere) {
      await this.leadToSaved(response, context);
      return;
    }
    if (findChanges(draft, rules)) {
      this.pages.sendReview(response, context, draft, { status: CONFLICT, addresses });
      return;
    }
    const index = changed ? rules.indexOf(changed) : rules.length;
    const replacement = { rules: rules.toSpliced(index, changed ? 1 : 0, rule), replaces: rules };
    try {
      const isDone = await this.pages.api.replaceRules(session.user, community.id, replacement);
      if (isDone) await this.leadToSaved(response, context);
      else {
        const current = await this.pages.load(session, community.id);
        this.pages.sendReview(response, current, draft, { status: CONFLICT, addresses });
      }
    } catch (error) {
      const state = toReviewState(error, context, { rule, index });
      this.pages.sendReview(response, context, draft, {
        ...state,
        refused: 'The rule is not saved.',
        addresses,
      });
    }
  }

  private leadToSaved(response: Response, { session, community, rulesPath }: RuleContext): Promise<void> {
    return this.notices.lead(response, session, rulesPath, {
      text: 'The rule is saved. Members are checked against it now; a role shows up at its holders within a minute or so.',
      next: [
        { href: toInvitationsPath(community.id), text: 'Invite people' },
        { href: toMembersPath(community.id), text: 'See the members' },
      ],
    });
  }

  /** @param isOwn adds the user's own wallets to the addresses */
  async try(
    response: Response,
    context: RuleContext,
    draft: RuleDraft,
    text: string,
    isOwn: boolean,
  ): Promise<void> {
    const { session, community, rulesPath } = context;
    const rule = toRule(draft, findChanged(context, draft));
    if (!rule) {
      response.redirect(303, `${rulesPath}/new`);
      return;
    }
    const own = isOwn ? await this.pages.api.listOwnAccounts(session.user) : [];
    const typed = listAddresses(text);
    const entries = [...new Set([...typed, ...own.map(toAddress)])];
    const shown = entries.join('\n');
    const problem = findAddressesProblem(entries);
    const found = problem === undefined ? await this.resolveNames(entries, context) : [];
    const addressProblems = problem === undefined ? found.flatMap(toProblem) : [problem];
    if (addressProblems.length > 0) {
      const state = { addresses: shown, addressProblems, status: REFUSED_FORM_STATUS };
      this.pages.sendReview(response, context, draft, state);
      return;
    }
    const named = found.flatMap((one) => ('problem' in one ? [] : [one]));
    const addresses = [...new Set(named.map(({ address }) => address))];
    const namesByAddress = new Map(named.map(({ address, name }) => [address, name]));
    try {
      const { results } = await this.pages.api.tryRule(session.user, community.id, { rule, addresses });
      const answers = results.map((one) => ({ ...one, name: namesByAddress.get(one.address) }));
      this.pages.sendReview(response, context, draft, { addresses: shown, answers });
    } catch (error) {
      const state = toReviewState(error, context, { rule, index: 0, addresses });
      const refused = 'The rule was not tried.';
      this.pages.sendReview(response, context, draft, { ...state, refused, addresses: shown });
    }
  }

  private resolveNames(entries: readonly string[], { session }: RuleContext): Promise<Entry[]> {
    return Promise.all(
      entries.map(async (text) =>
        isTypedName(text) ? this.names.resolve(text, session.user) : { address: text },
      ),
    );
  }
}

/** An address as it was typed, or that of a name. */
type Entry = { readonly address: string; readonly name?: string } | { readonly problem: string };

const toProblem = (entry: Entry): string[] => ('problem' in entry ? [entry.problem] : []);

/** What people put between addresses. */
const listAddresses = (text: string): string[] => text.split(/[\s,;]+/u).filter((part) => part !== '');

/** A wallet counts on every chain of its kind as its plain address; the wallet of a contract on its own chain only. */
const toAddress = (accountId: string): string => accountId.slice(accountId.lastIndexOf(':') + 1);

const MAX_ADDRESS_LENGTH = 200;

function findAddressesProblem(addresses: readonly string[]): string | undefined {
  if (addresses.length === 0) return 'Paste at least one address, or choose “Try my wallets”.';
  if (addresses.length > MAX_TRIED_ADDRESSES)
    return `${addresses.length} addresses are too many: at most ${MAX_TRIED_ADDRESSES} are tried at once.`;
  if (addresses.filter(isTypedName).length > MAX_TYPED_NAMES)
    return `At most ${MAX_TYPED_NAMES} names are looked up at once. Paste the other addresses.`;
  return addresses.some((address) => address.length > MAX_ADDRESS_LENGTH)
    ? 'One of these texts is too long for an address.'
    : undefined;
}

interface Submitted {
  readonly rule: RawRoleRule;
  /** Where the rule stands among those that were submitted. */
  readonly index: number;
  readonly addresses?: readonly string[];
}

/** What an operation refuses, in words and beside what it is about. @throws the error where no correction would help */
function toReviewState(error: unknown, context: RuleContext, submitted: Submitted): ReviewState {
  if (!(error instanceof AppError) || !REFUSALS.includes(error.statusCode)) throw error;
  const issues = issueList.safeParse(error.details['issues']).data ?? [];
  const problems: string[] = [];
  const addressProblems: string[] = [];
  const conditionProblems = new Map<number, string>();
  for (const issue of issues) {
    const about = findSubject(issue, submitted);
    const sentence = toSentence(issue.message);
    if (typeof about === 'number') conditionProblems.set(about, sentence);
    else if (about === 'addresses') addressProblems.push(nameAddress(issue, submitted, sentence));
    else problems.push(about === 'others' ? blameOther(issue, context, sentence) : sentence);
  }
  if (issues.length === 0) problems.push(explain(error));
  return { status: error.statusCode, problems, addressProblems, conditionProblems };
}

/** Sentences for refusals that are about the community, in the words of the pages. */
const EXPLANATIONS: Readonly<Record<string, string>> = {
  approval_required:
    'Rules need an application that an operator has approved. Attach one to the community under “Applications”, or ask the operator of this service.',
};

const explain = ({ message, details }: AppError): string =>
  EXPLANATIONS[String(details['code'])] ?? toSentence(message);

type Subject = number | 'addresses' | 'others' | 'rule';

/** The condition at a path such as `rules.2.allOf.1.minToken`, by its index in the rule. */
function findSubject({ path }: Issue, { index }: Submitted): Subject {
  const [field, at, ...steps] = path.split('.');
  if (field === 'addresses') return 'addresses';
  if (field !== 'rules' || at === undefined) return 'rule';
  if (at !== String(index)) return 'others';
  if (steps[0] === 'roleId') return 'rule';
  const position = steps.find((step) => /^\d+$/.test(step));
  const isGroup = ['allOf', 'anyOf', 'atLeast', 'not'].includes(steps[0] ?? '');
  if (position !== undefined) return isGroup ? Number(position) : 0;
  return isGroup && steps[0] !== 'not' ? 'rule' : 0;
}

function nameAddress({ path }: Issue, { addresses = [] }: Submitted, sentence: string): string {
  const address = addresses[Number(path.split('.')[1])];
  return address === undefined ? sentence : `${address}: ${sentence}`;
}

/** Rules are saved together, so that one that was saved long ago may keep a new one from being saved. */
function blameOther({ path }: Issue, { rules, names }: RuleContext, sentence: string): string {
  const other = rules[Number(path.split('.')[1])];
  if (!other) return sentence;
  return `Another rule of the community cannot be saved as it is (“${toLine(describeRule(other, names))}”): ${sentence}`;
}
