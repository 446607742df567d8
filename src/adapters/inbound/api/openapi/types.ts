import type { ErrorCode } from '../../../../domain/base/errors.ts';
import type { JsonSchema } from '../json-schema.ts';

/** The parts of OpenAPI 3.1 (https://spec.openapis.org/oas/v3.1.1.html) that our document has. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: {
    readonly title: string;
    readonly summary: string;
    readonly description: string;
    readonly version: string;
    readonly license: object;
  };
  readonly servers: readonly { readonly url: string }[];
  readonly security: readonly SecurityRequirement[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, object>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly headers: Readonly<Record<string, object>>;
    readonly responses: Readonly<Record<string, Response>>;
    readonly schemas: Readonly<Record<string, JsonSchema>>;
  };
  /** Every code that a reply can carry. */
  readonly 'x-error-codes': Readonly<Partial<Record<ErrorCode, ErrorEntry>>>;
}

export interface ErrorEntry {
  readonly status: number;
  /** Common to any request, or any with a body or a key, whatever the operation. */
  readonly general: boolean;
  readonly meaning: string;
}

export const METHODS = ['get', 'post', 'patch', 'put', 'delete'] as const;
export type PathItem = Readonly<Partial<Record<(typeof METHODS)[number], OperationObject>>>;

type SecurityRequirement = Readonly<Record<string, readonly string[]>>;

export interface OperationObject {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security: readonly SecurityRequirement[];
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: RequestBody;
  readonly responses: Readonly<Record<string, Response | Reference>>;
  /** As many tools for documents know them. */
  readonly 'x-codeSamples': readonly CodeSample[];
}

export interface CodeSample {
  readonly lang: string;
  readonly label: string;
  readonly source: string;
}

export interface Reference {
  readonly $ref: string;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

export interface RequestBody {
  readonly required: boolean;
  readonly content: Content;
}

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Reference>>;
  readonly content?: Content;
}

export type Content = Readonly<Record<string, MediaType>>;

export interface MediaType {
  readonly schema: JsonSchema;
  readonly examples?: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;
}

export const isReference = (value: object): value is Reference => '$ref' in value;
