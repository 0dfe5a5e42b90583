-- When the pupils of a course were last asked for at the launch of a teacher.
alter table lti_context add members_asked timestamptz;
