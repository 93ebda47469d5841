import { badRequest, notFound } from '@app/common';
import { queryText, type RawRoleRule } from '@app/dto';
import { FormBody } from '@app/service';
import { Body, Get, Param, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { z } from 'zod';
import { type CommunityParams, communityParams } from '../communities/communities.dto.js';
import { PageController } from '../page-controller.decorator.js';
import { type FormFields, formFields } from '../portal/application-form.js';
import { CurrentSignedInSession, type SignedInSession } from '../sessions/page-session.decorator.js';
import { markRule } from './rule-draft.js';
import { type RuleContext, RulePages } from './rule-pages.js';

const NOTICES = {
  saved:
    'The rule is saved. Members are checked against it now; a role shows up at its holders within a minute or so.',
  removed: 'The rule is removed. Members who had the role by it alone lose it soon.',
  gone: 'This rule was removed before.',
} as const;

const listQuery = z.object({ done: z.enum(['saved', 'removed', 'gone']).optional().catch(undefined) });
type ListQuery = z.output<typeof listQuery>;

const ruleQuery = z.object({ rule: queryText.min(1).max(16) });
type RuleQuery = z.output<typeof ruleQuery>;

const ruleNotFound = () =>
  notFound(
    'rule_not_found',
    'This rule does not exist any more: somebody has changed or removed it. Look at the rules of the community again.',
  );

/** @throws AppError 404 */
export function findRule({ rules }: RuleContext, mark: string): RawRoleRule {
  const rule = rules.find((one) => markRule(one) === mark);
  if (!rule) throw ruleNotFound();
  return rule;
}

/** The rules of a community in words, and the removal of one. */
@PageController('portal/communities/:communityId/rules')
export class RulesController {
  constructor(private readonly pages: RulePages) {}

  @Get()
  async list(
    @CurrentSignedInSession() session: SignedInSession,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Query({ schema: listQuery }) { done }: ListQuery,
    @Res() response: Response,
  ): Promise<void> {
    const context = await this.pages.load(session, communityId);
    await this.pages.sendList(response, context, done && NOTICES[done]);
  }

  @Get('remove')
  async askBeforeRemoval(
    @CurrentSignedInSession() session: SignedInSession,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Query({ schema: ruleQuery }) { rule: mark }: RuleQuery,
    @Res() response: Response,
  ): Promise<void> {
    const context = await this.pages.load(session, communityId);
    const rule = findRule(context, mark);
    this.pages.sendRemoval(response, context, rule, await this.describeConsequence(context, rule));
  }

  @Post('remove')
  @FormBody()
  async remove(
    @CurrentSignedInSession() session: SignedInSession,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Body({ schema: formFields }) fields: FormFields,
    @Res() response: Response,
  ): Promise<void> {
    const context = await this.pages.load(session, communityId);
    const mark = fields['rule'];
    if (mark === undefined) throw badRequest('input_invalid', 'The form does not say which rule.');
    const { rules, rulesPath } = context;
    const index = rules.findIndex((rule) => markRule(rule) === mark);
    // A second click: what is gone is not removed twice.
    if (index < 0) {
      response.redirect(303, `${rulesPath}?done=gone`);
      return;
    }
    const replacement = { rules: rules.toSpliced(index, 1), replaces: rules };
    const isDone = await this.pages.api.replaceRules(session.user, communityId, replacement);
    // Where others have changed the rules in this moment, the page asks again.
    response.redirect(303, isDone ? `${rulesPath}?done=removed` : `${rulesPath}/remove?rule=${mark}`);
  }

  private async describeConsequence(context: RuleContext, rule: RawRoleRule): Promise<string> {
    const { community, rules, session } = context;
    const { count, hasMore } = await this.pages.api.countHolders(session.user, community.id, rule.roleId);
    const others = rules.filter((one) => one !== rule && one.roleId === rule.roleId).length;
    if (count === 0 && !hasMore) return 'No member has the role now.';
    const amount = hasMore ? `at least ${count}` : String(count);
    const members = count === 1 && !hasMore ? 'member has' : 'members have';
    const loss =
      others === 0
        ? 'They lose it soon, because no other rule gives it.'
        : 'Those who do not meet another rule of this role lose it soon.';
    return `${amount.replace(/^a/, 'A')} ${members} the role now. ${loss}`;
  }
}
