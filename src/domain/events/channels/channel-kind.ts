import type { InputProblem } from '../../base/errors.ts';
import { withoutEnd } from '../../base/without-end.ts';
import type { ChannelMessage } from './channel-message.ts';

/** Values of a channel's fields, by name. An empty field is absent. */
export type FieldValues = Readonly<Record<string, string>>;

/** A setting of a channel. */
export interface ChannelField {
  readonly name: string;
  readonly label: string;
  readonly help: string;
  /** Encrypted, and never shown again. */
  readonly secret?: true;
  readonly optional?: true;
  /** Used if the field is empty. */
  readonly otherwise?: string;
  /**
   * `url`: an address that Drover connects to; `apiToken`: a token of Drover's own, with which the channel acts. By
   * default one line of text.
   */
  readonly type?: 'url' | 'host' | 'port' | 'apiToken';
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
  /** What a value looks like, with the reason to refuse others. */
  readonly form?: { readonly pattern: RegExp; readonly message: string };
}

export interface ChannelRequest {
  readonly method?: 'PUT' | 'PATCH';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; text as a form. */
  readonly body: object | URLSearchParams;
}

/** The answer of a service to a message. */
export interface ChannelReply {
  readonly status: number;
  readonly text: string;
  /** Empty unless the answer is a JSON object. */
  readonly json: Readonly<Record<string, unknown>>;
}

interface AnyKind {
  /** The most characters of a text with several lines, if more than usual. */
  readonly longest?: number;
  readonly title: string;
  /** What it is, for the choice of a kind. */
  readonly help: string;
  readonly fields: readonly ChannelField[];
  /** The destination without secrets. */
  readonly shown: (values: FieldValues) => string;
}

/** An e-mail, as nodemailer takes it. */
export interface Mail {
  readonly from: { readonly name: string; readonly address: string };
  readonly to: string[];
  readonly subject: string;
  readonly messageId: string;
  readonly date: Date;
  readonly headers: Record<string, string>;
  readonly text: string;
  readonly html: string;
}

/** A kind of channel over SMTP. */
export interface SmtpKind extends AnyKind {
  /** Values that do not fit together. */
  readonly problems: (values: FieldValues) => readonly InputProblem[];
  readonly mail: (values: FieldValues, message: ChannelMessage) => Mail;
}

interface InPlace {
  /** How the service calls a message that it accepted; `null`: it cannot be replaced. */
  readonly refOf: (reply: ChannelReply, message: ChannelMessage) => string | null;
  readonly request: (values: FieldValues, ref: string, message: ChannelMessage) => ChannelRequest;
  /** Whether an answer means that the message no longer exists, or can no longer be replaced. */
  readonly isMissing: (reply: ChannelReply) => boolean;
  /** Whether an answer means that the message has this content already. */
  readonly isSame?: (reply: ChannelReply) => boolean;
}

/** A kind of channel over HTTP. */
export interface HttpKind extends AnyKind {
  readonly request: (values: FieldValues, message: ChannelMessage) => ChannelRequest;
  /** Whether an answer with status 2xx means that the service accepted the message. */
  readonly isTaken: (reply: ChannelReply) => boolean;
  /** What a refusal means, in Drover's words; `null`: unknown. */
  readonly hint: (reply: ChannelReply) => string | null;
  /** Values that do not fit together. */
  readonly problems?: (values: FieldValues) => readonly InputProblem[];
  /** How a message is replaced after it was sent. Absent: the service, or this kind of access to it, cannot. */
  readonly inPlace?: InPlace;
  /** How long the service asks to be left alone, if its body says so. */
  readonly retryAfterMs?: (reply: ChannelReply) => number | null;
}

/** A kind of channel that sends no events. */
interface SilentKind extends AnyKind {
  /** What it does instead, as the events of a channel are shown. */
  readonly noEvents: string;
}

/** Where a message broker is, and how to sign in there. */
export interface BrokerAccess {
  readonly host: string;
  readonly port: number;
  readonly isEncrypted: boolean;
  readonly login?: string;
  readonly password?: string;
}

/** A kind of channel that keeps the topics of a message broker up to date, and takes commands from it. */
export interface BrokerKind extends SilentKind {
  readonly broker: (values: FieldValues) => BrokerAccess;
  /** Where a test is sent. */
  readonly testTopic: (values: FieldValues) => string;
  /** Values that do not fit together. */
  readonly problems: (values: FieldValues) => readonly InputProblem[];
}

/** A kind of channel that is called regularly, so that the service behind it notices when Drover no longer runs. */
export interface HeartbeatKind extends SilentKind {
  readonly url: (values: FieldValues) => string;
  readonly everyMs: (values: FieldValues) => number;
  /** What a refusal means, in Drover's words; `null`: unknown. */
  readonly hint: (status: number) => string | null;
}

/** The origin of an address, and no more of it. */
export const originOf = (url: string): string => new URL(url).host;

/** An address below a base address. */
export const below = (base: string | undefined, path: string): string =>
  `${withoutEnd(base ?? '', '/')}${path}`;

/** The first hint whose test holds. */
export const firstHint = (hints: readonly (readonly [boolean, string])[]): string | null =>
  hints.find(([holds]) => holds)?.[1] ?? null;

/** A member of a JSON answer as text. */
export const textAt = ({ json }: ChannelReply, name: string): string => {
  const value = json[name];
  return typeof value === 'string' ? value : '';
};
