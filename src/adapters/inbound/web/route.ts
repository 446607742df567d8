import type { Readable } from 'node:stream';
import type { ComponentChildren, VNode } from 'preact';
import type { Visitor } from '../../../application/access/sessions.ts';
import type { Browser } from '../../../application/access/sign-in.ts';
import type { ForwardedHeaders } from '../../../domain/access/forward-auth.ts';
import type { Role } from '../../../domain/access/role.ts';
import type { Instant } from '../../../domain/base/instant.ts';
import type { PageHead } from './components/page-header.tsx';
import type { Follow } from './event-streams.ts';
import type { Density, Theme } from './theme.ts';

/**
 * Who may request a page: anyone; a user who has entered the password but not the code; or users of a role, of which
 * administrators may do all and viewers the least.
 */
export type Needs = 'nobody' | 'code' | Role;

/** The parts of the service that its navigation names. */
export type Area =
  | 'overview'
  | 'servers'
  | 'jobs'
  | 'backups'
  | 'approvals'
  | 'notifications'
  | 'settings'
  | 'account';

/** A request for a page, read and checked. */
export interface Visit {
  /** Null if no user is signed in. */
  readonly visitor: Visitor | null;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The fields of the form; empty for a GET. */
  readonly form: URLSearchParams;
  /** The last event id of an interrupted stream. */
  readonly lastEventId: string | null;
  readonly browser: Browser;
  /** The user whom a trusted proxy names; null: it names none, or this is switched off. */
  readonly forwarded: ForwardedHeaders | null;
  /** The secret of a sign-in that this browser started at a provider; null: none. */
  readonly ssoSecret: string | null;
  /** The secret of a challenge to sign in with a passkey that this browser asked for; null: none. */
  readonly passkeySecret: string | null;
  /** The address by which the browser reached the service: scheme, host and port. */
  readonly origin: string;
  readonly theme: Theme;
  readonly density: Density;
  /** The time zone that the browser names; null: none yet. Not checked. */
  readonly zone: string | null;
  readonly now: Instant;
  /** The form's part `file`, as a stream; for routes that accept one. */
  readonly file: SentFile | null;
  /** Aborted once the browser disconnects. */
  readonly gone: AbortSignal;
}

export interface SentFile {
  /** As the browser named it; may be empty. */
  readonly name: string;
  readonly content: AsyncIterable<Uint8Array>;
}

/** As `Visit`, of a signed-in user. */
export interface SignedInVisit extends Visit {
  readonly visitor: Visitor;
}

/** What a page's head may depend on. */
export interface HeadContext {
  readonly now: Instant;
  /** Backups before it are overdue. */
  readonly staleBefore: Instant;
}

export interface PageReply {
  readonly kind: 'page';
  readonly status: number;
  readonly title: string;
  /** Null: a page outside the service's frame, such as the one to sign in. */
  readonly area: Area | null;
  readonly body: ComponentChildren;
  /** Elements in the page's head beside its title. */
  readonly header?: PageHead;
  /** The same, if it depends on more than its subject. */
  readonly headOf?: (at: HeadContext) => PageHead;
  /** Ways to the other pages about the same thing, below the head. */
  readonly tabs?: VNode;
  /** The current one of them, if the title names their subject: the subject's own page is `href`. */
  readonly tab?: { readonly href: string; readonly label: string };
  /** In the breadcrumb before the current page, such as the snapshot that a restore is from. */
  readonly parents?: readonly { readonly href: string; readonly label: string }[];
  /** The current page in the breadcrumb, if it is below one of the ways. */
  readonly here?: string;
  /** The open page stays up to date: all of it, or its head and tabs, which `head` renders alone. */
  readonly live?: { readonly head?: string; readonly all: boolean };
  /** It has one of the parts that `parts.css` is for. */
  readonly hasParts?: boolean;
  /** Scripts and styles beyond the common ones. */
  readonly script?: 'templateFiles' | 'upload' | 'metrics' | 'editor' | 'push' | 'job' | 'passkeys';
}

/** A part of a page that is there already, to be put in the place of the same part. */
export interface PartReply {
  readonly kind: 'part';
  readonly body: VNode;
}

/** The form that reverses an action; the audit log has it as that action. */
export interface Undo {
  readonly action: string;
  readonly fields: Readonly<Record<string, readonly string[]>>;
}

/** What was just done, with the name of the object, and where its result is. */
export interface Toast {
  readonly words: string;
  readonly link?: { readonly href: string; readonly label: string };
  readonly undo?: Undo;
}

export interface RedirectReply {
  readonly kind: 'redirect';
  /** A path of this service with its query, or an address at a provider of single sign-on. */
  readonly to: string;
  /** The new session's secret; null ends the session; absent: unchanged. */
  readonly session?: string | null;
  /** The secret by which the browser is recognised at its next sign-in; absent or null: it stays as it is. */
  readonly device?: string | null;
  /** The secret of a sign-in that was started at a provider; null: it is over. */
  readonly sso?: string | null;
  /** The secret of a challenge to sign in with a passkey; null: it is over. */
  readonly passkey?: string | null;
  /** The browser's new theme. */
  readonly theme?: Theme;
  /** The browser's new height of rows. */
  readonly density?: Density;
  /** The name of what was changed: the next page says it after the words of `TOASTS`. */
  readonly about?: string;
  /** Absent: as `REVERSALS` have it, if they do. */
  readonly undo?: Undo;
  /** Said instead. */
  readonly toast?: string | Toast;
}

/** A file to be kept, never to be shown by the browser. */
export interface FileReply {
  readonly kind: 'file';
  readonly name: string;
  /** In bytes; `null` if it is known only at the end. */
  readonly size: number | null;
  /** Hex; `null` where finding it out first would take too long. */
  readonly sha256: string | null;
  readonly content: Readable;
}

/** Events for a page that follows something; only for signed-in users. */
export interface StreamReply {
  readonly kind: 'stream';
  readonly follow: Follow;
}

/** For a script of the page. */
export interface JsonReply {
  readonly kind: 'json';
  readonly value: object;
  /** As in a redirect. */
  readonly passkey?: string;
}

export type WebReply = JsonReply | PageReply | PartReply | RedirectReply | FileReply | StreamReply;

type Handler<V> = (visit: V) => Promise<WebReply> | WebReply;

interface Place {
  readonly method: 'GET' | 'POST';
  /** As the router wants it: `/servers/:id`. */
  readonly path: string;
  /** An open page polls it whether or not a user is there: it does not extend the session. */
  readonly byItself?: true;
}

/** A page or an action, as data: its requirements are checked in one place. */
export type WebRoute =
  | (Place & { readonly needs: 'nobody'; readonly handle: Handler<Visit> })
  | (Place & {
      readonly needs: Exclude<Needs, 'nobody'>;
      /** The password has to be confirmed again if that was too long ago. */
      readonly confirm?: true;
      /** The form brings a file (`multipart/form-data`), which is not read before it is asked for. */
      readonly takes?: 'file';
      /** Open to users who have to set up two-factor authentication first. */
      readonly beforeTwoFactor?: true;
      readonly handle: Handler<SignedInVisit>;
    });

export const page = (area: Area | null, title: string, body: ComponentChildren, status = 200): PageReply => ({
  kind: 'page',
  area,
  title,
  body,
  status,
});

export const part = (body: VNode): PartReply => ({ kind: 'part', body });

export const json = (value: object): JsonReply => ({ kind: 'json', value });

export const fileReply = (file: Omit<FileReply, 'kind'>): FileReply => ({ kind: 'file', ...file });

export const stream = (follow: Follow): StreamReply => ({ kind: 'stream', follow });

/** After a form: the browser asks for the next page with GET, so that going back sends nothing again. */
export const redirect = (to: string, session?: string | null): RedirectReply => ({
  kind: 'redirect',
  to,
  ...(session === undefined ? {} : { session }),
});

/** After an action: the next page says what was done, and names the object. */
export const done = (to: string, about: string): RedirectReply => ({ ...redirect(to), about });
