import { describe, expect, it } from 'vitest';
import {
  API_JOB_TYPES,
  isShownFirst,
  JOB_TYPES,
  jobTitle,
  MCP_JOB_TYPES,
  needsProject,
  needsWindow,
  PLAIN_JOB_TYPES,
  REPEATABLE_JOB_TYPES,
  runsExclusively,
  startedElsewhere,
  takes,
  takesPlan,
} from '../../../src/domain/jobs/job-types.ts';

describe('job types', () => {
  it('come in the published order: what agents start, then scripts, then operators', () => {
    expect(API_JOB_TYPES.slice(0, MCP_JOB_TYPES.length)).toEqual(MCP_JOB_TYPES);
    expect(JOB_TYPES.slice(0, API_JOB_TYPES.length)).toEqual(API_JOB_TYPES);
  });

  it('have titles that differ', () => {
    expect(new Set(JOB_TYPES.map(jobTitle)).size).toBe(JOB_TYPES.length);
  });

  it('that wait for a window show a dry run first and have a plan', () => {
    for (const type of JOB_TYPES.filter((each) => needsWindow(each, false))) {
      expect([type, isShownFirst(type, { dryRun: false }), takesPlan(type)]).toEqual([type, true, true]);
    }
  });

  it('without a plan are those that change nothing or start at a snapshot', () => {
    expect(JOB_TYPES.filter((type) => !takesPlan(type))).toEqual([
      'os_update_check',
      'container_update_check',
      'docker_stack_check',
      'snapshot_verify',
      'restore',
    ]);
  });

  it('that start elsewhere belong to a snapshot or an update and run alone', () => {
    const elsewhere = JOB_TYPES.filter((type) => startedElsewhere(type) !== null);
    expect(elsewhere).toEqual(['restore', 'dump_restore', 'os_downgrade']);
    for (const type of elsewhere) {
      const from = takes(type, 'snapshotId') || takes(type, 'updateJobId');
      expect([from, runsExclusively(type)]).toEqual([true, true]);
    }
  });

  it('of one project take its directory', () => {
    for (const type of JOB_TYPES.filter(needsProject)) expect(takes(type, 'sourceFilter')).toBe(true);
  });

  it('can be repeated on many servers unless they deploy a new template', () => {
    expect(PLAIN_JOB_TYPES.filter((type) => !REPEATABLE_JOB_TYPES.includes(type))).toEqual([
      'template_deploy',
    ]);
  });
});
