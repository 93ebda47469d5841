import type { Principal } from '@app/auth';
import { AppError } from '@app/common';
import {
  type AnalyticsReportName,
  analyticsReportRefusal,
  type AnalyticsReportRequest,
  analyticsReportRequest,
  type AnalyticsReportResponse,
  analyticsReportResponse,
} from '@app/dto';
import type { Queryable } from '@app/database';
import { InternalController, Returns } from '@app/service';
import { Body, Post } from '@nestjs/common';
import { z } from 'zod';
import {
  roleDistributionRow,
  rolesAddedRow,
  userInteractionsRow,
  walletConnectionsRow,
} from './analytics.dto.js';
import { invalidTimeParameter } from '../time/time.errors.js';
import { DataUntilService, ReportsService } from './reports.service.js';
import {
  formatReport,
  type CsvTable,
  ROLE_DISTRIBUTION_CSV,
  ROLES_ADDED_CSV,
  USER_INTERACTIONS_CSV,
  WALLET_CONNECTIONS_CSV,
} from './report-csv.js';
import {
  type Report,
  loadRoleDistribution,
  loadRolesAdded,
  loadUserInteractions,
  loadWalletConnections,
} from './reports.js';

/** Bounds what identity reads. 90 days of 250 roles take 2 MB. */
const MAX_REPORT_LENGTH = 4_000_000;

type LoadText = (reports: ReportsService, request: AnalyticsReportRequest) => Promise<string>;

const defineReport =
  <Row>(
    row: z.ZodType<Row>,
    load: (db: Queryable, report: Report) => Promise<Row[]>,
    table: CsvTable<Row>,
  ): LoadText =>
  async (reports, { userId, communityId, format, range, interval, timeZone }) => {
    const principal: Principal = { kind: 'caller', user: { id: userId }, scopes: [] };
    const query = { range, interval, timeZone };
    const rows = await reports.load({ principal, communityId, query }, load);
    const text = formatReport(table, z.array(row).parse(rows), format);
    if (text.length > MAX_REPORT_LENGTH)
      throw invalidTimeParameter(
        'interval',
        'would make a report that is too large here: choose a longer one',
      );
    return text;
  };

/** The reports of the public operations. */
const REPORTS: Readonly<Record<AnalyticsReportName, LoadText>> = {
  'role-distribution': defineReport(roleDistributionRow, loadRoleDistribution, ROLE_DISTRIBUTION_CSV),
  'roles-added': defineReport(rolesAddedRow, loadRolesAdded, ROLES_ADDED_CSV),
  'user-interactions': defineReport(userInteractionsRow, loadUserInteractions, USER_INTERACTIONS_CSV),
  'wallet-connections': defineReport(walletConnectionsRow, loadWalletConnections, WALLET_CONNECTIONS_CSV),
};

/** Reports for users who are signed in to identity's portal, with the access rules of the public operations. */
@InternalController('internal/reports', 'identity')
export class InternalReportsController {
  constructor(
    private readonly reports: ReportsService,
    private readonly dataUntil: DataUntilService,
  ) {}

  @Post()
  @Returns(analyticsReportResponse)
  async load(
    @Body({ schema: analyticsReportRequest }) request: AnalyticsReportRequest,
  ): Promise<AnalyticsReportResponse> {
    try {
      const dataUntil = await this.dataUntil.load();
      return { outcome: 'loaded', text: await REPORTS[request.report](this.reports, request), dataUntil };
    } catch (error) {
      return toRefusal(error);
    }
  }
}

/** @throws the error unless it is a refusal */
function toRefusal(error: unknown): AnalyticsReportResponse {
  if (!(error instanceof AppError)) throw error;
  const { code, issues } = error.details;
  const refusal = analyticsReportRefusal.safeParse({ outcome: code, issues });
  if (!refusal.success) throw error;
  return refusal.data;
}
