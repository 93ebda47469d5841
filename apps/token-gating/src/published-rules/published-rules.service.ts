import { getTenantId, type Principal } from '@app/auth';
import { notFound, RETRY_AFTER_SECONDS, serviceUnavailable } from '@app/common';
import { Database } from '@app/database';
import { type RuleEntry, storedRuleEntry, type TokenGatingResponse } from '@app/dto';
import { clientRequired } from '@app/service';
import { Injectable } from '@nestjs/common';
import { CheckRolesService } from '../checks/check-roles.service.js';
import {
  type PublishedRulesBody,
  type PublishedRulesCheck,
  type WrittenPublishedRules,
  writtenPublishedRules,
} from './published-rules.dto.js';
import {
  findPublishedRules,
  listPublishedRules,
  type StoredPublishedRule,
  storePublishedRules,
} from './published-rules.queries.js';

/** The application itself, by its API key. A token gives a user no right to the rules of the application. */
function requireClientItself(principal: Principal, clientId: string): void {
  if (principal.kind !== 'caller' || !principal.client || principal.user) throw clientRequired();
  if (principal.client.id !== clientId) throw otherClient();
}

/** The application whose rules the caller names. */
function getPublishingClientId(principal: Principal): string {
  if (principal.kind !== 'publishable' && principal.kind !== 'caller') throw clientRequired();
  if (!principal.client) throw clientRequired();
  return principal.client.id;
}

const toPathOfEntry = (path: string): string => path.replace(/^rules\.\d+/, '$&.rule');

/**
 * Rules that an application registers, and that browsers have checked by their names (docs/adr/0121-publishable-ids.md). They are read at
 * each check, one row by its primary key: a rule that was replaced is never checked again, on whichever instance.
 */
@Injectable()
export class PublishedRulesService {
  constructor(
    private readonly database: Database,
    private readonly checks: CheckRolesService,
  ) {}

  async list(principal: Principal, clientId: string): Promise<WrittenPublishedRules> {
    requireClientItself(principal, clientId);
    return { rules: await listPublishedRules(this.database, clientId) };
  }

  /** Replaces all rules. Together they must fit one check. @throws AppError 400 */
  async replace(
    principal: Principal,
    clientId: string,
    { value, original }: PublishedRulesBody,
  ): Promise<WrittenPublishedRules> {
    requireClientItself(principal, clientId);
    this.checks.validateRequest({ rules: value.rules.map(({ rule }) => rule) }, toPathOfEntry);
    const { rules } = writtenPublishedRules.parse(original);
    await storePublishedRules(this.database, clientId, rules);
    return this.list(principal, clientId);
  }

  /** @throws AppError 404 for a name that the application has not published, and what check-roles throws */
  async check(
    principal: Principal,
    { account, rules: names }: PublishedRulesCheck,
  ): Promise<TokenGatingResponse> {
    const clientId = getPublishingClientId(principal);
    const found = await findPublishedRules(this.database, clientId, names);
    const byName = new Map(found.map((each) => [each.name, each]));
    const rules = names.map((name) => {
      const stored = byName.get(name);
      if (!stored) throw publishedRuleNotFound(name);
      return parseStored(stored);
    });
    const options = { requester: { clientId }, tenantId: getTenantId(principal), lenient: false };
    return this.checks.checkRoles({ account, rules }, options);
  }
}

function parseStored({ name, rule }: StoredPublishedRule): RuleEntry {
  const { success, data } = storedRuleEntry.safeParse(rule);
  if (!success) throw publishedRuleUnavailable(name);
  return data;
}

const otherClient = () =>
  notFound('client_not_found', 'The published rules of another client application are not shown.');

const publishedRuleNotFound = (name: string) =>
  notFound('published_rule_not_found', `The client application has published no rule named ${name}.`);

/** Another release has stored the rule. */
const publishedRuleUnavailable = (name: string) =>
  serviceUnavailable('rules_unavailable', `The rule ${name} cannot be read at the moment.`, {
    retryAfter: RETRY_AFTER_SECONDS.progress,
  });
