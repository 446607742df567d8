import type * as z from 'zod';
import { type JsonSchema, outputJsonSchema } from '../json-schema.ts';
import { problemSchema } from '../problem.ts';
import { batchMemberSchema, batchSchema } from '../views/batch-view.ts';
import { inventorySchema } from '../views/inventory-view.ts';
import { jobDetailSchema, jobSchema } from '../views/job-view.ts';
import { scheduleRunSchema, scheduleSchema } from '../views/schedule-view.ts';
import { serverDetailSchema } from '../views/server-event-view.ts';
import { featuresSchema, needySchema, serverSchema } from '../views/server-view.ts';
import { serviceSchema } from '../views/service-view.ts';
import { snapshotSchema } from '../views/snapshot-view.ts';
import { deploymentSchema, templateSchema, templateSummarySchema } from '../views/template-view.ts';
import { windowSchema } from '../views/window-view.ts';

/** Named shapes of the document; each occurrence becomes a reference. */
const NAMED: Readonly<Record<string, z.ZodObject>> = {
  Server: serverSchema,
  ServerWithNeeds: needySchema,
  ServerDetail: serverDetailSchema,
  ServerFeatures: featuresSchema,
  HostInventory: inventorySchema,
  Service: serviceSchema,
  Job: jobSchema,
  JobDetail: jobDetailSchema,
  Batch: batchSchema,
  BatchMember: batchMemberSchema,
  Schedule: scheduleSchema,
  ScheduleRun: scheduleRunSchema,
  MaintenanceWindow: windowSchema,
  Template: templateSchema,
  TemplateSummary: templateSummarySchema,
  Deployment: deploymentSchema,
  Snapshot: snapshotSchema,
  Problem: problemSchema,
};

const schemas = new Map(Object.entries(NAMED).map(([name, schema]) => [name, outputJsonSchema(schema)]));
const names = new Map(Array.from(schemas, ([name, schema]) => [JSON.stringify(schema), name]));

/** The named shapes, each with the others' names in it. */
export const sharedSchemas = (): Record<string, JsonSchema> =>
  Object.fromEntries(Array.from(schemas, ([name, schema]) => [name, inside(schema) as JsonSchema]));

/** A schema with names in the place of the shapes that have one. */
export function withNames(schema: unknown): unknown {
  const name = names.get(JSON.stringify(schema));
  return name === undefined ? inside(schema) : refTo('schemas', name);
}

export const refTo = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });

function inside(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withNames);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, withNames(value)]));
}
