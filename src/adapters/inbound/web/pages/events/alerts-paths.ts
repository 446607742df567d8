export const ALERTS_PATH = '/settings/alerts';
export const POLICY_PATH = `${ALERTS_PATH}/policy`;
export const PUSH_PATH = `${ALERTS_PATH}/browser`;
