export const ALERTS_PATH = '/settings/alerts';
export const NEW_WEBHOOK_PATH = `${ALERTS_PATH}/new-webhook`;
export const POLICY_PATH = `${ALERTS_PATH}/policy`;
export const PUSH_PATH = `${ALERTS_PATH}/browser`;
