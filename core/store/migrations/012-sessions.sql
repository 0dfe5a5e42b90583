-- Keyed hash of the network that started the session: the sessions of one network share an allowance of requests.
alter table launch add network text;
