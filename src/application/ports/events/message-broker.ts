import type { BrokerAccess } from '../../../domain/events/channels/channel-kind.ts';

export interface BrokerTarget extends BrokerAccess {
  readonly allowPrivate: boolean;
}

export interface BrokerMessage {
  readonly topic: string;
  readonly payload: string;
  /** The broker kept it from before: it was not sent now. */
  readonly isRetained: boolean;
}

export interface BrokerTerms {
  /** Another connection with the same name ends this one. */
  readonly clientId: string;
  /** The broker sends it if the connection breaks. */
  readonly will?: { readonly topic: string; readonly payload: string };
  readonly topics: readonly string[];
  readonly onMessage?: (message: BrokerMessage) => void;
}

/** A connection to a broker. */
export interface BrokerConnection {
  readonly isOpen: boolean;
  /** The address that was connected to. */
  readonly address: string;
  /** Resolves once the broker has the message. An empty one that is retained deletes. Throws `BrokerRefused`. */
  publish(topic: string, payload: string, isRetained: boolean): Promise<void>;
  /** Ends it without the will. Never throws. */
  close(): Promise<void>;
}

/** A message broker that topics are published to. */
export interface MessageBroker {
  /** Connects to an allowed address, within 15 seconds. Throws `BrokerRefused`. */
  connect(target: BrokerTarget, terms: BrokerTerms, signal: AbortSignal): Promise<BrokerConnection>;
}

/** Why it failed, in Drover's words: neither secrets nor text of the broker. */
export class BrokerRefused extends Error {}
