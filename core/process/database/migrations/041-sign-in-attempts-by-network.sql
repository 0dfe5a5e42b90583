-- The widest network that the sign-in came from, as a hash: when all places are taken, the network with the most gives one up.
alter table sign_in_attempt add column crowd text not null default '';
