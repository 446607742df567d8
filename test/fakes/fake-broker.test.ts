import { messageBrokerContract } from '../contracts/message-broker.contract.ts';
import { FakeBroker } from './fake-broker.ts';

messageBrokerContract('in memory', async () => ({
  broker: new FakeBroker('between the topics'),
  target: {
    host: 'broker',
    port: 1_883,
    isEncrypted: false,
    login: 'drover',
    password: 'between the topics',
    allowPrivate: true,
  },
  remove: async () => {},
}));
