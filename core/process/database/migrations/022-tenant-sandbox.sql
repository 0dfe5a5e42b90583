-- Those who look for what is known of a learner look at the sandboxes only.
alter table tenant add unique (sandbox_of);
