import { badRequest, notFound } from '@app/common';
import { queryText, type RawRoleRule } from '@app/dto';
import { FormBody } from '@app/service';
import { Body, Get, Param, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { z } from 'zod';
import { type CommunityParams, communityParams } from '../communities/communities.dto.js';
import { toMembersPath } from '../communities/community-tabs.js';
import { PageController } from '../page-controller.decorator.js';
import { type FormFields, formFields } from '../portal/application-form.js';
import { PageNoticesService } from '../sessions/page-notices.service.js';
import { CurrentSignedInSession, type SignedInSession } from '../sessions/page-session.decorator.js';
import { markRule } from './rule-draft.js';
import { type RuleContext, RulePages } from './rule-pages.js';

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
  constructor(
    private readonly pages: RulePages,
    private readonly notices: PageNoticesService,
  ) {}

  @Get()
  async list(
    @CurrentSignedInSession() session: SignedInSession,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Res() response: Response,
  ): Promise<void> {
    await this.pages.sendList(response, await this.pages.load(session, communityId));
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
      await this.notices.lead(response, session, rulesPath, { text: 'This rule was removed before.' });
      return;
    }
    const replacement = { rules: rules.toSpliced(index, 1), replaces: rules };
    const isDone = await this.pages.api.replaceRules(session.user, communityId, replacement);
    // Where others have changed the rules in this moment, the page asks again.
    if (!isDone) {
      response.redirect(303, `${rulesPath}/remove?rule=${mark}`);
      return;
    }
    await this.notices.lead(response, session, rulesPath, {
      text: 'The rule is removed. Members who had the role by it alone lose it soon.',
      next: [{ href: toMembersPath(communityId), text: 'See the members' }],
    });
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
