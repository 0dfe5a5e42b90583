-- Written for cores of version 4, which nobody runs beside this one.
drop function if exists store_statements;
drop function if exists expect_erasures;
